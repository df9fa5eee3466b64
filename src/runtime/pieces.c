#include "runtime/pieces.h"

#include <stddef.h>

#include "runtime/access.h"
#include "runtime/world.h"
#include "shadow/frozen.h"
#include "shadow/quick.h"
#include "shadow/uniform.h"
#include "shadow/unshare.h"

enum { CHUNK = 1 << OWNER_CHUNK_BITS, FEWEST_STEPS = PIECE_FEWEST_STEPS };

/* --- what a piece consists of: accesses of the run, and perhaps some bytes of one more --- */

static size_t size_of(const struct open_run *open)
{
    return open->key >> 4;
}

static enum access_kind kind_of(const struct open_run *open)
{
    return (enum access_kind)(open->key & 7);
}

/* How many accesses of the run from `next` on are in its chunk. */
static uint32_t steps_in_chunk(const struct open_run *open)
{
    intptr_t at = open->next % CHUNK, last = CHUNK - (intptr_t)size_of(open), stride = open->stride;
    if (at > last || stride == 0)
        return 0;
    return (uint32_t)((stride > 0 ? (last - at) / stride : at / -stride) + 1);
}

static uint32_t count_of(const struct open_run *open)
{
    intptr_t length = (intptr_t)(open->next - open->from);
    return (uint32_t)((length + (open->stride > 0 ? open->stride - 1 : open->stride + 1)) / open->stride);
}

/* How many bytes of the last access are there, if not all. */
static unsigned left_over(const struct open_run *open)
{
    return open->step != open->stride ? (unsigned)((open->next - open->from) % size_of(open)) : 0;
}

/* Single bytes, or pairs, of words: a loop over characters that the compiler has unrolled is several such
 * pieces, and their bytes make up whole words. */
static bool is_bytes(const struct open_run *open)
{
    return size_of(open) < 4;
}

/* --- beginning --- */

/* In the chunk. */
static void begin(struct thread *t, struct open_run *open, unsigned size, enum access_kind kind,
                  uint32_t steps)
{
    unsigned place = (unsigned)(open - t->open);
    open->unit = piece_unit(size, kind);
    open->step = (int16_t)(size < size_of(open) ? (int32_t)size : open->stride);
    open->end = (uint32_t)open->next + steps * (uint32_t)open->stride;
    store_release(&open->from, open->next);
    store_release(&open->waits_at, open->next);
    t->has_piece[place / 64] |= UINT64_C(1) << place % 64;
}

void piece_begin(struct thread *t, uintptr_t pc, unsigned size, enum access_kind kind)
{
    struct open_run *open = &t->open[history_place(pc)];
    struct owner_view *view = &t->actor.owner;
    uint32_t chunk = owner_chunk(open->next), steps;
    if (!open->may_wait || open->from != 0 || (steps = steps_in_chunk(open)) < FEWEST_STEPS)
        return;
    pieces_may_wait(t);
    if (size < size_of(open) && (open->stride != (int32_t)size_of(open) || open->next % 4 != 0))
        return;
    if ((is_bytes(open) || size < size_of(open)) && history_length(t, open) < FEWEST_STEPS)
        return; /* words of text are short, and pieces of bytes cost more */
    if (((uintptr_t)(intptr_t)open->stride | open->next) % (is_bytes(open) ? size_of(open) : 4) != 0)
        return; /* the run has other accesses, too, that are not of whole words */
    uint32_t owner = owner_announce(view, chunk);
    bool own = owner_is_quick(view, owner);
    bool frozen = kind == PLAIN_READ && owner == OWNER_FROZEN &&
                  load_relaxed(&view->quick_shared) == OWNER_SHARED && frozen_notes(&t->actor, chunk) != NULL;
    if (own && kind == PLAIN_WRITE)
        owner_writes(chunk);
    if (frozen)
        mark_waited(chunk);
    if (own || (frozen && !is_bytes(open)))
        begin(t, open, size, kind, steps);
    owner_leave(view);
}

/* --- checking --- */

/* A signal handler that uses the same place, and has come between the instructions that extend or begin a
 * piece, may leave one behind that makes no sense. */
static bool makes_sense(const struct open_run *open)
{
    ptrdiff_t length = (ptrdiff_t)(open->next - open->from), stride = open->stride;
    bool whole = open->step == stride;
    uintptr_t last = whole ? open->next - (uintptr_t)stride : open->next - 1; /* `next` is in no chunk yet */
    if (stride == 0 || length <= -2 * CHUNK || length >= 2 * CHUNK)
        return false;
    return length == 0 || ((length < 0) == (stride < 0) && owner_chunk(last) == owner_chunk(open->from) &&
                           (!whole || length % stride == 0));
}

/* Before the shadow says so: it was these accesses. From here on the piece only becomes shorter. */
static void remember(struct thread *t, struct open_run *open)
{
    if (open->unit == 0)
        return;
    if (open->waits_at != 0) /* else somebody has stopped it */
        open->next = open->waits_at;
    open->waits_at = open->unit = 0;
    if (open->next != open->from && makes_sense(open))
        history_add_piece(t, open, count_of(open), left_over(open));
}

/* Closes the piece. False: there is nothing to check. */
static bool close_piece(struct thread *t, struct open_run *open)
{
    remember(t, open);
    if (likely(makes_sense(open)))
        return true;
    store_release(&open->from, 0);
    return false;
}

/* A piece without gaps: the words of the chunk, which is the caller's alone; or frozen, and `notes` are the
 * thread's. */
static size_t check_words(uintptr_t at, size_t count, enum access_kind kind, struct actor *actor,
                          struct notes *notes)
{
    uint32_t changed = 0;
    if (count == 0)
        return 0;
    return notes == NULL ? quick_own(shadow_of(at), count, kind, actor, &changed)
                         : frozen_read(notes, at, count, actor, &changed);
}

/* ... with gaps. Returns how many accesses are done. */
static size_t check_strided(uintptr_t at, size_t count, size_t size, ptrdiff_t stride, enum access_kind kind,
                            struct actor *actor, struct notes *notes)
{
    uint32_t changed = 0;
    size_t done = 0;
    if (notes == NULL)
        return quick_own_elements(shadow_of(at), count, size, stride / 4, kind, actor);
    while (done < count && frozen_read(notes, at, size / 4, actor, &changed) == size / 4) {
        at += (uintptr_t)stride;
        done++;
    }
    return done;
}

/* Checks accesses up to the first that needs more than quick steps; returns where that is. */
static uintptr_t quick_part(const struct open_run *open, struct actor *actor, struct notes *notes)
{
    uintptr_t at = open->from, end = open->next;
    size_t size = size_of(open);
    ptrdiff_t stride = open->stride;
    if (is_bytes(open))
        return at;
    if (stride != (ptrdiff_t)size) {
        size_t count = (size_t)((ptrdiff_t)(end - at) / stride);
        return at + check_strided(at, count, size, stride, kind_of(open), actor, notes) * (size_t)stride;
    }
    size_t done = 4 * check_words(at, (end - at) / 4, kind_of(open), actor, notes);
    return at + (at + done == end ? done : done - done % size);
}

static struct race_access_live access_at(const struct open_run *open, uintptr_t at)
{
    size_t size = size_of(open);
    if (open->stride > 0 && open->next - at < size && open->step != open->stride)
        size = open->next - at; /* the bytes at the end */
    return (struct race_access_live){.address = at,
                                     .pc = open->pc,
                                     .size = size,
                                     .kind = kind_of(open),
                                     .node_known = true,
                                     .node = open->node};
}

static uintptr_t after(const struct open_run *open, const struct race_access_live *a)
{
    return a->size < size_of(open) ? open->next : a->address + (uintptr_t)(intptr_t)open->stride;
}

/* The chunk is the caller's alone: checks all up to the first access that needs more than quick steps, and
 * that. */
static void check_alone(struct thread *t, struct open_run *open, struct actor *actor,
                        struct race_access_live *a, struct race_found *found)
{
    if (!close_piece(t, open))
        return;
    uintptr_t at = quick_part(open, actor, NULL);
    if (at != open->next) {
        *a = access_at(open, at);
        shadow_access_alone(a->address, a->size, a->kind, actor, found);
        at = after(open, a);
    }
    store_release(&open->from, at == open->next ? 0 : at);
}

/* The chunk is frozen, or shared: the thread's next access in the ordinary way. Who thaws the chunk may be at
 * the same piece. */
static void check_one(struct thread *t, struct open_run *open, uintptr_t at)
{
    struct race_access_live a = access_at(open, at);
    struct race_found found;
    shadow_access(a.address, a.size, a.kind, &t->actor, &found);
    access_tell(t, &a, &found);
    cas_acq_rel(&open->from, &at, after(open, &a) == open->next ? 0 : after(open, &a));
}

/* In the frozen chunk. False: an access is left that is not for here. */
static bool check_frozen(struct thread *t, struct open_run *open, struct notes *notes)
{
    if (!close_piece(t, open))
        return true;
    uintptr_t at = quick_part(open, &t->actor, notes);
    store_release(&open->from, at == open->next ? 0 : at);
    return at == open->next;
}

/* One step of the thread's own check. */
static void check_some(struct thread *t, struct open_run *open, uintptr_t from)
{
    struct owner_view *view = &t->actor.owner;
    struct race_access_live a = {0};
    struct race_found found = {0};
    uint32_t owner = owner_announce(view, owner_chunk(from));
    struct notes *notes =
        frozen_notes(&t->actor, owner_chunk(from)); /* in the chunk: before, it may become another's */
    bool one = owner != OWNER_MOVING;
    if (owner_is_own(view, owner)) {
        check_alone(t, open, &t->actor, &a, &found);
        one = false;
    } else if (owner == OWNER_FROZEN && notes != NULL) {
        one = !check_frozen(t, open, notes);
    } else if (owner != OWNER_MOVING && load_acquire(&open->from) == from) {
        one = close_piece(t, open); /* nobody will take the piece from a chunk that is not the thread's */
    }
    owner_leave(view);
    access_tell(t, &a, &found);
    if (one && (from = load_acquire(&open->from)) != 0)
        check_one(t, open, from);
    else if (owner == OWNER_MOVING)
        sys_yield();
}

/* --- bytes --- */

enum { MOST_TOGETHER = 16 };

/* The pieces of one kind in one chunk that is the thread's own, put together. */
struct together {
    uint64_t bytes[CHUNK / 64]; /* one bit a byte of the chunk */
    unsigned first, last;       /* words of these that are not 0 */
    unsigned count;
    struct open_run piece[MOST_TOGETHER]; /* as they were */
};

static void put_bytes(struct together *all, const struct open_run *open)
{
    uint64_t unit = (UINT64_C(1) << size_of(open)) - 1;
    for (uintptr_t at = open->from; at != open->next; at += (uintptr_t)(intptr_t)open->stride) {
        unsigned bit = at % CHUNK, word = bit / 64;
        all->bytes[word] |= unit << bit % 64;
        all->first = word < all->first ? word : all->first;
        all->last = word > all->last ? word : all->last;
    }
}

/* In the chunk. */
static void put_together(struct thread *t, uint32_t chunk, enum access_kind kind, struct together *all)
{
    for (unsigned i = 0; i < array_length(t->has_piece); i++)
        for (uint64_t left = t->has_piece[i]; left != 0 && all->count < MOST_TOGETHER; left &= left - 1) {
            struct open_run *open = &t->open[i * 64 + (unsigned)__builtin_ctzl(left)];
            if (open->from == 0 || owner_chunk(open->from) != chunk || !is_bytes(open) ||
                kind_of(open) != kind)
                continue;
            if (!close_piece(t, open))
                continue;
            put_bytes(all, open);
            all->piece[all->count++] = *open;
            store_release(&open->from, 0);
        }
}

/* The piece's access nearest to the byte that begins at or before it, or the last one in that direction. */
static uintptr_t nearest(const struct open_run *open, uintptr_t address)
{
    intptr_t stride = open->stride, last = (intptr_t)(open->next - open->from) / stride - 1;
    intptr_t distance = (intptr_t)(address - open->from);
    intptr_t step = stride > 0 ? distance / stride : (distance + stride + 1) / stride;
    step = step < 0 ? 0 : step > last ? last : step;
    return open->from + (uintptr_t)(step * stride);
}

/* The access of one of the pieces that the byte is from. */
static struct race_access_live whose(const struct together *all, uintptr_t address)
{
    for (unsigned i = 0; i < all->count; i++) {
        const struct open_run *open = &all->piece[i];
        uintptr_t at = nearest(open, address);
        if (address - at < size_of(open))
            return access_at(open, at);
    }
    return access_at(&all->piece[0], address); /* never: every byte is from one of them */
}

/* Each byte by itself. */
static void check_bytes(struct thread *t, const struct together *all, uintptr_t address, unsigned mask)
{
    for (; mask != 0; mask &= mask - 1) {
        struct race_access_live a = whose(all, address + (unsigned)__builtin_ctz(mask));
        struct race_found found;
        shadow_access_alone(address + (unsigned)__builtin_ctz(mask), 1, a.kind, &t->actor, &found);
        access_tell(t, &a, &found);
    }
}

/* 64 bytes. Words of which all are set are checked together. */
static void check_line(struct thread *t, const struct together *all, uintptr_t address, uint64_t bytes,
                       enum access_kind kind)
{
    uint32_t changed = 0;
    for (unsigned word = 0; word < 16; word++) {
        unsigned mask = bytes >> 4 * word & 0xf, whole = 0;
        while (word + whole < 16 && (bytes >> 4 * (word + whole) & 0xf) == 0xf)
            whole++;
        size_t done =
            whole > 0 ? quick_own(shadow_of(address + 4 * word), whole, kind, &t->actor, &changed) : 0;
        if (done > 0)
            word += (unsigned)done - 1;
        else
            check_bytes(t, all, address + 4 * word, mask);
    }
}

/* False: there is nothing of that, or the chunk is not the thread's. */
static bool flush_together(struct thread *t, uintptr_t from, enum access_kind kind)
{
    struct together all = {.first = UINT32_MAX};
    uint32_t chunk = owner_chunk(from);
    if (!owner_enter(&t->actor.owner, chunk))
        return false;
    put_together(t, chunk, kind, &all);
    for (unsigned i = all.first; i <= all.last && all.count > 0; i++)
        check_line(t, &all, from - from % CHUNK + 64 * i, all.bytes[i], kind);
    owner_leave(&t->actor.owner);
    return all.count > 0;
}

/* --- flushing --- */

void piece_flush(struct thread *t, struct open_run *open)
{
    uintptr_t from;
    count(PIECES);
    t->inside++;
    world_enter(t);
    while (is_bytes(open) && (from = load_acquire(&open->from)) != 0 &&
           flush_together(t, from, kind_of(open))) {
    }
    while ((from = load_acquire(&open->from)) != 0)
        check_some(t, open, from);
    world_leave(t);
    thread_outside(t);
    if (open->step != open->stride && open->next % 4 != 0)
        open->pc = 0; /* bytes were left over: the run does not go on */
}

bool piece_next(struct thread *t, uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct open_run *open = &t->open[history_place(pc)];
    bool same = open->pc == pc && open->waits_at == address && open->unit == piece_unit(size, kind) &&
                open->node == t->top->node;
    piece_flush(t, open);
    if (is_bytes(open))
        return false; /* it is gathered, and those of the other places with it: they all begin again together
                       */
    if (same && open->pc == pc)
        piece_begin(t, pc, size, kind);
    return same && piece_extended(t, open, address, size, kind, pc);
}

void pieces_flush(struct thread *t)
{
    for (unsigned i = 0; i < array_length(t->has_piece); i++) {
        for (uint64_t left; (left = t->has_piece[i]) != 0; t->has_piece[i] &= ~(left & -left)) {
            struct open_run *open = &t->open[i * 64 + (unsigned)__builtin_ctzl(left)];
            if (load_acquire(&open->from) != 0)
                piece_flush(t, open);
        }
    }
}

/* --- in the place of another thread --- */

static struct actor actor; /* under the lock */
static struct spin actor_lock;

/* The chunk was taken from t. It has not been in it since, so its epoch and clock are those of the accesses.
 */
static bool check_for(struct thread *t, struct open_run *open)
{
    actor.now = t->actor.now;
    actor.clock = t->clock;
    actor_forget(&actor);
    while (open->from != 0) {
        struct race_access_live a = {0};
        struct race_found found = {0};
        check_alone(t, open, &actor, &a, &found);
        access_tell(t, &a, &found);
    }
    return true;
}

/* Calls visit for each piece that the thread has in these chunks. True: one said so. */
static bool each_piece(struct thread *t, uint32_t chunk, uint32_t count,
                       bool (*visit)(struct thread *t, struct open_run *open))
{
    bool any = false;
    for (unsigned i = 0; i < array_length(t->has_piece); i++)
        for (uint64_t left = load_relaxed(&t->has_piece[i]); left != 0; left &= left - 1) {
            struct open_run *open = &t->open[i * 64 + (unsigned)__builtin_ctzl(left)];
            uintptr_t from = load_acquire(&open->from);
            if (from != 0 && owner_chunk(from) - chunk < count)
                any |= visit(t, open);
        }
    return any;
}

/* True: it was not stopped yet, or the thread has written since. */
static bool stop(struct thread *t, struct open_run *open)
{
    uintptr_t at = load_acquire(&open->waits_at);
    (void)t;
    while (at != 0 && !cas_acq_rel(&open->waits_at, &at, 0)) {
    }
    if (at != 0)
        store_relaxed(&open->next, at);
    return at != 0;
}

void pieces_settle(struct owner_view *view, uint32_t chunk, uint32_t count)
{
    struct thread *t = (struct thread *)((char *)view - offsetof(struct thread, actor.owner));
    uint32_t taken = 0, more;
    while ((more = gather_stop(t, chunk, count)) | each_piece(t, chunk, count, stop)) {
        taken |= more;
        owner_fence_all();
    }
    spin_lock(&actor_lock);
    each_piece(t, chunk, count, check_for);
    gather_settle(t, taken, &actor);
    spin_unlock(&actor_lock);
}

static bool is_there(struct thread *t, struct open_run *open)
{
    (void)t, (void)open;
    return true;
}

static bool waits_in(struct owner_view *view, uint32_t chunk)
{
    struct thread *t = (struct thread *)((char *)view - offsetof(struct thread, actor.owner));
    return each_piece(t, chunk, 1, is_there) || gather_has(t, (uintptr_t)chunk << OWNER_CHUNK_BITS, CHUNK);
}

void pieces_may_wait(struct thread *t)
{
    if (likely(t->unlisted == 0))
        return;
    owner_settle = pieces_settle;
    unshare_bytes_wait = gather_waits_in;
    uniform_waits = waits_in;
    thread_waits(t);
}

/* Chunks that are frozen may be shared after this. */
void pieces_stop(struct thread *t)
{
    while (each_piece(t, 0, UINT32_MAX, stop))
        owner_fence_all();
}

void pieces_take(struct thread *other, uintptr_t address, size_t size)
{
    for (unsigned i = 0; i < array_length(other->has_piece); i++)
        for (uint64_t left = load_acquire(&other->has_piece[i]); left != 0; left &= left - 1) {
            uintptr_t from = load_acquire(&other->open[i * 64 + (unsigned)__builtin_ctzl(left)].from);
            if (from != 0 && from / CHUNK - address / CHUNK <= (address + size - 1) / CHUNK - address / CHUNK)
                owner_take(from, 1);
        }
}

/* In or before the byte where it goes on, by the way it goes. */
static bool overlaps(const struct open_run *open, uintptr_t address, size_t size)
{
    uintptr_t from = load_acquire(&open->from), to = load_acquire(&open->waits_at);
    if (from == 0)
        return false;
    if (to == 0)
        to = open->next;
    uintptr_t low = from < to ? from : to, high = (from < to ? to : from) + size_of(open);
    return low < address + size && address < high;
}

bool pieces_wait(const struct thread *t, uintptr_t address, size_t size)
{
    for (unsigned i = 0; i < array_length(t->has_piece); i++)
        for (uint64_t left = load_acquire(&t->has_piece[i]); left != 0; left &= left - 1)
            if (overlaps(&t->open[i * 64 + (unsigned)__builtin_ctzl(left)], address, size))
                return true;
    return false;
}

void pieces_forget(struct thread *t)
{
    for (unsigned i = 0; i < HISTORY_OPEN; i++)
        t->open[i].from = t->open[i].waits_at = 0;
}
