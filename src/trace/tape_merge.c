#include "trace/tape_merge.h"

#include <unistd.h>

#include "base/map.h"
#include "trace/tape_decode.h"
#include "trace/tape_file.h"

struct stream {
    uint32_t thread;
    struct tape_piece *piece;
    size_t count, capacity;
    size_t next;   /* piece */
    uint64_t when; /* what comes next: twice its mark; and 1 if it is compared, which comes last */
    struct tape_touch compared; /* the latter */
    struct tape_touch taken;    /* a lock, when its turn has come: lock != UINT64_MAX */
    uint32_t next_waiting;      /* for the same lock: stream + 1 */
    uint64_t turns;             /* locks that were taken and given up */
    uint8_t *raw;               /* of the piece before; NULL: it is at its end */
    size_t raw_size;
    struct tape_cursor *cursor;
};

struct tape_merge {
    struct mem mem;
    struct source *source;
    struct book *book;
    struct stream spine;
    struct tape_records records; /* of the spine */
    struct map threads;          /* to streams + 1 */
    struct stream *stream;
    size_t stream_count, stream_capacity;
    uint32_t *heap; /* streams that have more, the earliest first */
    size_t heap_count, heap_capacity;
    uint64_t now;             /* records of the spine so far */
    struct tape_slot rest;    /* of an access in parts: c > 0 */
    struct tape_touch row;    /* count > 0 */
    struct tape_slot more[2]; /* of a record that means several, the last one first */
    unsigned more_count;
    struct map lock_number; /* to indices */
    struct tape_lock {
        uint64_t address;
        uint32_t posted;  /* id + 1; 0: none */
        uint32_t waiting; /* stream + 1: those whose turn has not come yet */
        uint64_t given;   /* times */
    } * lock;
    size_t lock_capacity;
    struct map taken; /* by thread: number of a lock + 1 */
    size_t waiting;   /* streams */
    bool whole;
    uint32_t row_thread;
    char *kept; /* payloads, where the source cannot be read again */
    size_t kept_size, kept_capacity;
};

enum { MOST_PART = 64 << 10 };

/* --- blocks --- */

struct tape_merge *tape_merge_new(struct source *source, struct book *book)
{
    struct mem mem = {0};
    struct tape_merge *m = mem_alloc(&mem, sizeof *m);
    m->mem = mem;
    m->source = source;
    m->book = book;
    m->spine.thread = NO_TARGET;
    return m;
}

static void close_piece(struct tape_merge *m, struct stream *s)
{
    mem_free(&m->mem, s->raw, s->raw_size);
    mem_free(&m->mem, s->cursor, s->cursor != NULL ? sizeof *s->cursor : 0);
    s->raw = NULL;
    s->cursor = NULL;
    s->raw_size = 0;
}

void tape_merge_free(struct tape_merge *m)
{
    for (size_t i = 0; i <= m->stream_count; i++) {
        struct stream *s = i < m->stream_count ? &m->stream[i] : &m->spine;
        close_piece(m, s);
        mem_free(&m->mem, s->piece, s->capacity * sizeof *s->piece);
    }
    mem_free(&m->mem, m->stream, m->stream_capacity * sizeof *m->stream);
    mem_free(&m->mem, m->heap, m->heap_capacity * sizeof *m->heap);
    mem_free(&m->mem, m->kept, m->kept_capacity);
    mem_free(&m->mem, m->lock, m->lock_capacity * sizeof *m->lock);
    map_free(&m->taken, &m->mem);
    map_free(&m->lock_number, &m->mem);
    map_free(&m->threads, &m->mem);
    struct mem mem = m->mem;
    mem_free(&mem, m, sizeof *m);
}

static struct stream *stream_of(struct tape_merge *m, uint32_t thread)
{
    if (thread == NO_TARGET)
        return &m->spine;
    uint32_t *number = map_at(&m->threads, &m->mem, thread);
    if (*number == 0) {
        m->stream =
            mem_reserve(&m->mem, m->stream, sizeof *m->stream, &m->stream_capacity, m->stream_count + 1);
        m->stream[m->stream_count++] = (struct stream){.thread = thread};
        *number = (uint32_t)m->stream_count;
    }
    return &m->stream[*number - 1];
}

static bool can_read_again(const struct tape_merge *m)
{
    return m->source->seekable && m->source->fd >= 0; /* not a pipe, nor memory */
}

void tape_merge_add(struct tape_merge *m, uint32_t thread, struct tape_piece piece, const void *payload)
{
    struct stream *s = stream_of(m, thread);
    if (!can_read_again(m)) {
        m->kept = mem_reserve(&m->mem, m->kept, 1, &m->kept_capacity, m->kept_size + piece.stored);
        memcpy(m->kept + m->kept_size, payload, piece.stored);
        piece.offset = m->kept_size;
        m->kept_size += piece.stored;
    }
    s->piece = mem_reserve(&m->mem, s->piece, sizeof *s->piece, &s->capacity, s->count + 1);
    s->piece[s->count++] = piece;
}

bool tape_unpack(uint8_t *raw, const struct tape_piece *piece, const void *payload)
{
    if (piece->stored == piece->raw) {
        memcpy(raw, payload, piece->raw);
        return true;
    }
    return ZSTD_decompress(raw, piece->raw, payload, piece->stored) == piece->raw;
}

static bool fetch(struct tape_merge *m, const struct tape_piece *piece, uint8_t *raw)
{
    if (!can_read_again(m))
        return tape_unpack(raw, piece, m->kept + piece->offset);
    char *payload = mem_alloc(&m->mem, piece->stored);
    bool good = true;
    for (size_t done = 0; good && done < piece->stored;) {
        ssize_t got = pread(m->source->fd, payload + done, piece->stored - done,
                            (off_t)((uint64_t)m->source->start + piece->offset + done));
        good = got > 0;
        done += good ? (size_t)got : 0;
    }
    good = good && tape_unpack(raw, piece, payload);
    mem_free(&m->mem, payload, piece->stored);
    return good;
}

/* The next piece. */
static bool open_piece(struct tape_merge *m, struct stream *s)
{
    const struct tape_piece *piece = &s->piece[s->next++];
    close_piece(m, s);
    s->raw_size = piece->raw;
    s->raw = mem_alloc(&m->mem, s->raw_size);
    return fetch(m, piece, s->raw);
}

/* What comes after its piece, for the same cursor. */
static bool more_of_piece(struct tape_merge *m, struct stream *s)
{
    struct tape_cursor *cursor = s->cursor;
    s->cursor = NULL;
    bool good = open_piece(m, s);
    s->cursor = cursor;
    tape_cursor_go_on(cursor, s->raw, s->raw_size);
    return good;
}

/* --- which stream is next --- */

static uint64_t when_at(const struct tape_merge *m, size_t i)
{
    return m->stream[m->heap[i]].when;
}

static void swap(struct tape_merge *m, size_t i, size_t k)
{
    uint32_t other = m->heap[i];
    m->heap[i] = m->heap[k];
    m->heap[k] = other;
}

static void sink(struct tape_merge *m, size_t i)
{
    for (;;) {
        size_t least = i, child = 2 * i + 1;
        for (size_t k = child; k < child + 2 && k < m->heap_count; k++)
            least = when_at(m, k) < when_at(m, least) ? k : least;
        if (least == i)
            return;
        swap(m, i, least);
        i = least;
    }
}

static void leave_first(struct tape_merge *m)
{
    m->heap[0] = m->heap[--m->heap_count];
    sink(m, 0);
}

static void come_back(struct tape_merge *m, uint32_t stream)
{
    size_t i = m->heap_count++;
    m->heap[i] = stream;
    for (; i > 0 && when_at(m, i) < when_at(m, (i - 1) / 2); i = (i - 1) / 2)
        swap(m, i, (i - 1) / 2);
}

void tape_merge_whole(struct tape_merge *m)
{
    m->whole = true;
}

void tape_merge_start(struct tape_merge *m)
{
    m->now = 0;
    m->heap_count = 0;
    m->rest = (struct tape_slot){0};
    m->row = (struct tape_touch){0};
    m->more_count = 0;
    m->waiting = 0;
    map_free(&m->taken, &m->mem);
    map_free(&m->lock_number, &m->mem);
    m->spine.next = 0;
    m->records = (struct tape_records){0};
    close_piece(m, &m->spine);
    m->heap = mem_reserve(&m->mem, m->heap, sizeof *m->heap, &m->heap_capacity, m->stream_count);
    for (size_t i = 0; i < m->stream_count; i++) {
        struct stream *s = &m->stream[i];
        close_piece(m, s);
        s->next = 0;
        s->turns = 0;
        s->taken.lock = UINT64_MAX;
        s->when = 2 * s->piece[0].first;
        m->heap[m->heap_count++] = (uint32_t)i;
    }
    for (size_t i = m->heap_count; i-- > 0;)
        sink(m, i);
}

/* --- slots --- */

static enum tape_result touched(struct tape_merge *m, uint32_t thread, const struct tape_touch *t,
                                struct tape_slot *slot)
{
    unsigned how = book_how(m->book, t->site);
    bool compared = how & TAPE_COMPARED;
    *slot = (struct tape_slot){.op = compared ? TAPE_COMPARE : TAPE_ACCESS,
                               .how = compared ? 0 : how & TAPE_HOW,
                               .thread = thread,
                               .a = t->address,
                               .b = t->site,
                               .c = t->size != 0 ? t->size : how >> TAPE_SIZE_SHIFT & TAPE_SIZE};
    return tape_is_sound(slot) ? TAPE_GOT : TAPE_BROKEN;
}

static enum tape_result next_of_row(struct tape_merge *m, struct tape_slot *slot)
{
    enum tape_result result = touched(m, m->row_thread, &m->row, slot);
    m->row.address += m->row.stride;
    m->row.count--;
    return result;
}

/* --- locks --- */

static struct tape_lock *lock_of(const struct tape_merge *m, uint64_t number)
{
    uint32_t index = map_get(&m->lock_number, number);
    return index != 0 ? &m->lock[index - 1] : NULL;
}

static void tell_lock(struct tape_merge *m, const struct tape_slot *s)
{
    size_t index = map_number(&m->lock_number, &m->mem, s->b);
    m->lock = mem_reserve(&m->mem, m->lock, sizeof *m->lock, &m->lock_capacity, index + 1);
    m->lock[index] = (struct tape_lock){.address = s->a};
}

static struct tape_slot lock_event(enum op op, uint32_t thread, uint64_t lock)
{
    return (struct tape_slot){.op = TAPE_SYNC, .how = (uint8_t)op, .thread = thread, .a = lock};
}

/* An access, and the lock is taken. */
static bool take(struct tape_merge *m, struct tape_slot *s)
{
    const struct tape_lock *lock = lock_of(m, s->a);
    if (lock == NULL)
        return false;
    *map_at(&m->taken, &m->mem, s->thread) = (uint32_t)s->a + 1;
    m->more[m->more_count++] = lock_event(OP_ACQUIRE, s->thread, s->a);
    *s = (struct tape_slot){.op = TAPE_ACCESS,
                            .how = TAPE_ATOMIC_READ,
                            .thread = s->thread,
                            .a = lock->address,
                            .b = s->b,
                            .c = 1};
    return true;
}

/* Those go on whose turn has come. */
static void call_waiting(struct tape_merge *m, struct tape_lock *lock)
{
    for (uint32_t *link = &lock->waiting; *link != 0;) {
        uint32_t number = *link - 1;
        struct stream *s = &m->stream[number];
        if (s->taken.turn > lock->given) {
            link = &s->next_waiting;
            continue;
        }
        *link = s->next_waiting;
        m->waiting--;
        come_back(m, number);
    }
}

/* The lock is given up, and what it has then is posted. */
static bool give(struct tape_merge *m, struct tape_slot *s, uint64_t number, uint64_t id, bool again)
{
    struct tape_lock *lock = lock_of(m, number);
    if (lock == NULL)
        return false;
    lock->posted = (uint32_t)id + 1;
    lock->given++;
    call_waiting(m, lock);
    m->more[m->more_count++] =
        (struct tape_slot){.op = TAPE_POST, .how = again, .thread = s->thread, .a = id};
    *s = lock_event(OP_RELEASE, s->thread, number);
    return true;
}

/* As the one before. */
static bool give_again(struct tape_merge *m, struct tape_slot *s, uint64_t number)
{
    const struct tape_lock *lock = lock_of(m, number);
    return lock != NULL && lock->posted != 0 && give(m, s, number, lock->posted - 1, true);
}

static bool give_last(struct tape_merge *m, struct tape_slot *s)
{
    uint32_t number = map_get(&m->taken, s->thread);
    return number != 0 && give_again(m, s, number - 1);
}

/* What a record means that is more than a slot. False: a lock that there is not. */
static bool spell_out(struct tape_merge *m, struct tape_slot *s)
{
    switch (s->op) {
    case TAPE_LOCK:
        tell_lock(m, s);
        return true;
    case TAPE_TAKE:
        return take(m, s);
    case TAPE_GIVE:
        return give(m, s, s->a, s->b, s->how != 0);
    case TAPE_GIVE_LAST:
        return give_last(m, s);
    default:
        return true;
    }
}

/* --- streams --- */

static enum tape_result take_by(struct tape_merge *m, struct stream *s, struct tape_slot *slot)
{
    const struct tape_touch t = s->taken;
    const struct tape_lock *lock = lock_of(m, t.lock);
    s->taken.lock = UINT64_MAX;
    s->turns++;
    *slot = (struct tape_slot){.op = TAPE_TAKE, .thread = s->thread, .a = t.lock, .b = t.site};
    if (lock == NULL || !take(m, slot))
        return TAPE_BROKEN;
    if (t.turn == 0 || lock->posted == 0)
        return TAPE_GOT;
    m->more[m->more_count++] = *slot;
    *slot = (struct tape_slot){.op = TAPE_LEARN, .thread = s->thread, .a = lock->posted - 1};
    return TAPE_GOT;
}

/* The stream that comes first takes a lock, now or when its turn has come. */
static enum tape_result take_in_turn(struct tape_merge *m, const struct tape_touch *t, struct tape_slot *slot)
{
    uint32_t number = m->heap[0];
    struct stream *s = &m->stream[number];
    struct tape_lock *lock = lock_of(m, t->lock);
    s->taken = *t;
    if (lock == NULL || t->turn <= lock->given)
        return take_by(m, s, slot);
    s->next_waiting = lock->waiting;
    lock->waiting = number + 1;
    m->waiting++;
    leave_first(m);
    return TAPE_OVER;
}

static enum tape_result give_by(struct tape_merge *m, struct stream *s, uint64_t lock, struct tape_slot *slot)
{
    s->turns++;
    *slot = (struct tape_slot){.thread = s->thread};
    bool good = lock == UINT64_MAX ? give_last(m, slot) : give_again(m, slot, lock);
    return good ? TAPE_GOT : TAPE_BROKEN;
}

/* The stream that comes first goes on. OVER: it has no access before its next mark, or what is compared. */
static enum tape_result next_of_first(struct tape_merge *m, struct tape_slot *slot)
{
    struct stream *s = &m->stream[m->heap[0]];
    struct tape_touch t;
    if (s->when % 2 != 0) {
        s->when--;
        return touched(m, s->thread, &s->compared, slot);
    }
    if (s->taken.lock != UINT64_MAX)
        return take_by(m, s, slot);
    if (s->cursor == NULL) {
        if (s->piece[s->next].goes_on || !open_piece(m, s))
            return TAPE_BROKEN;
        s->cursor = mem_alloc(&m->mem, sizeof *s->cursor);
        tape_cursor_start(s->cursor, s->raw, s->raw_size, s->when / 2);
    }
    switch (tape_cursor_next(s->cursor, &t)) {
    case TAPE_ITEM_ACCESS:
        if (book_how(m->book, t.site) & TAPE_COMPARED) {
            s->compared = t;
            s->when++;
            sink(m, 0);
            return TAPE_OVER;
        }
        return touched(m, s->thread, &t, slot);
    case TAPE_ITEM_ROW:
        m->row = t;
        m->row_thread = s->thread;
        return next_of_row(m, slot);
    case TAPE_ITEM_TAKE:
        return take_in_turn(m, &t, slot);
    case TAPE_ITEM_GIVE:
        return give_by(m, s, t.lock, slot);
    case TAPE_ITEM_MARK:
        s->when = 2 * s->cursor->mark;
        sink(m, 0);
        return TAPE_OVER;
    case TAPE_ITEM_END:
        if (s->next < s->count && s->piece[s->next].goes_on)
            return more_of_piece(m, s) ? TAPE_OVER : TAPE_BROKEN;
        close_piece(m, s);
        if (s->next == s->count) {
            leave_first(m);
        } else {
            s->when = max_u64(s->when, 2 * s->piece[s->next].first);
            sink(m, 0);
        }
        return TAPE_OVER;
    default:
        return TAPE_BROKEN;
    }
}

/* --- the spine --- */

/* Nothing more can be told. */
static enum tape_result lost(const struct tape_merge *m)
{
    return m->whole ? TAPE_BROKEN : TAPE_OVER;
}

/* Is all there of which a TURN says that it was? */
static bool has_turned(const struct tape_merge *m, const struct tape_slot *s)
{
    if (s->how == 0) {
        const struct tape_lock *lock = lock_of(m, s->a);
        return lock != NULL && lock->given >= s->b;
    }
    uint32_t number = map_get(&m->threads, s->thread);
    return number != 0 && m->stream[number - 1].turns >= s->a;
}

static enum tape_result next_of_spine(struct tape_merge *m, struct tape_slot *slot)
{
    while (m->records.at == m->records.end) {
        if (m->spine.next == m->spine.count)
            return m->waiting > 0 ? lost(m) : TAPE_OVER;
        uint64_t first = m->spine.piece[m->spine.next].first, last = first == 0 ? m->records.last : 0;
        if ((first != 0 && first != m->now + 1) || !open_piece(m, &m->spine))
            return TAPE_BROKEN;
        m->records = (struct tape_records){m->spine.raw, m->spine.raw + m->spine.raw_size, last};
    }
    if (!tape_decode(&m->records, slot))
        return TAPE_BROKEN;
    if (slot->op == TAPE_TURN && !has_turned(m, slot))
        return lost(m);
    if (!spell_out(m, slot))
        return TAPE_BROKEN;
    m->now++;
    return TAPE_GOT;
}

static enum tape_result next_any(struct tape_merge *m, struct tape_slot *slot)
{
    if (m->more_count > 0) {
        *slot = m->more[--m->more_count];
        return TAPE_GOT;
    }
    if (m->row.count > 0)
        return next_of_row(m, slot);
    while (m->heap_count > 0 && when_at(m, 0) <= 2 * m->now + 1) {
        enum tape_result result = next_of_first(m, slot);
        if (result != TAPE_OVER)
            return result;
    }
    return next_of_spine(m, slot);
}

static enum tape_result next_whole(struct tape_merge *m, struct tape_slot *slot)
{
    enum tape_result result = next_any(m, slot);
    while (result == TAPE_GOT && slot->op == TAPE_TURN)
        result = next_any(m, slot);
    return result;
}

/* Where parts meet no variable is cut: groups of 8 bytes are whole. */
static void next_part(struct tape_merge *m, struct tape_slot *slot)
{
    uint64_t end = (m->rest.a + MOST_PART) & -(uint64_t)8, size = end - m->rest.a;
    *slot = m->rest;
    if (size < m->rest.c)
        slot->c = size;
    m->rest.a += slot->c;
    m->rest.c -= slot->c;
}

enum tape_result tape_merge_next(struct tape_merge *m, struct tape_slot *slot)
{
    if (m->rest.c == 0) {
        enum tape_result result = next_whole(m, slot);
        if (result != TAPE_GOT || slot->op != TAPE_ACCESS || slot->c <= MOST_PART)
            return result;
        m->rest = *slot;
    }
    next_part(m, slot);
    return TAPE_GOT;
}
