/* goldilocks: locksets computed lazily, at an access, from the list of synchronization events (004 Fig. 3).
 *
 * The paper keeps one lockset per variable and so calls two unordered reads a race. Here a variable has an
 * `info` for its last write, and one for each thread's last read since that write:
 *
 *   read   race unless the last write happens before it; then it becomes the thread's last read
 *   write  race unless the last write and all reads since happen before it; then it is the last write, and
 *          the reads are forgotten
 *
 * Why the first race of a variable is found at the very event that the definition names. Let e be the first
 * access that races with an earlier one, a. Before e nothing raced, so the writes were ordered one after the
 * other, and every read was ordered with the writes on both sides of it.
 *   a is a write:            a happens before the last write w or is it; if w happened before e, so would a.
 *   a is a read before w:    a happens before w; the same.
 *   a is a read since w:     its thread's last read r comes after a in program order; the same with r.
 * So one of the kept accesses does not happen before e, and is found. And there is no false alarm: the
 * lockset of an access has thread t if and only if it happens before what t does next (004 Theorem 1; the
 * rules for reader locks, volatiles and barriers are its rules for further kinds of element). A single
 * earlier read that happens before a new one is replaced by it: whatever it could race with, the new one
 * races with as well. So more than one read is kept only where reads are really concurrent.
 *
 * A check tries what is cheap first:
 *   SAME SEGMENT  the thread did the same, or wrote, since its last release: the state stays as it is
 *   HELD LOCK     the thread holds a lock that the accessor held at the access, not both for reading
 *   OWNER         the same thread
 *   KNOWN ORDER   an earlier answer about the two threads covers it (detect/updates.h)
 *   LOCKSET       the rules, from the access on
 *
 * The paper's Fig. 3 keeps a variable's `alock` when the access was its owner's, although the owner may hold
 * it no more. Then T1: acq(l) w(x) rel(l) w(x); T2: acq(l) w(x) passes as protected by l: a missed race. Here
 * `lock` is always one that was held at the very access that the info describes. (An access that SAME SEGMENT
 * leaves out needs no better lock: the segment has no release, so the lock was held all through it.)
 *
 * Memory: 32 bytes a variable, 16 for each point that an access refers to, 16 for each concurrent reader.
 *
 * GOLDILOCKS_CELLS is how long the update list grows before it is folded (longer only where nobody walks it).
 * A short list means short walks, a long one fewer folds, which cost a pass over the list each: about the
 * same per cell whatever the length. Measured with 10 million synchronization events of 8 threads and 1,000
 * locks, from 512 to 65,536 cells: race-free, the same within 10 %; mostly racy, 1.8 s with 512, 2.1 s with
 * 1,024, 4.0 s with 65,536. With 1,024 the list and its locksets stay in the first cache.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "detect/drive.h"
#include "detect/updates.h"

#ifndef GOLDILOCKS_CELLS /* tests make it tiny, and give that detector another name */
#define GOLDILOCKS_CELLS 1024
#define GOLDILOCKS_ID    goldilocks
#define GOLDILOCKS_NAME  "goldilocks"
#endif

/* Cheapest first: where several accesses are checked, the highest rule that was needed counts. */
enum rule {
    SAME_SEGMENT,
    FIRST_ACCESS,
    NO_WRITE,
    HELD_LOCK,
    OWNER,
    KNOWN_ORDER,
    LOCKSET,
    WRITE_READ_RACE,
    WRITE_WRITE_RACE,
    READ_WRITE_RACE,
    RULES,
    UNORDERED = RULES /* of a check; the caller knows which race it is */
};

static const struct rule_count rule_table[RULES] = {
    [SAME_SEGMENT] = {.rule = "SAME SEGMENT", .same_epoch = true},
    [FIRST_ACCESS] = {.rule = "FIRST ACCESS"},
    [NO_WRITE] = {.rule = "READ BEFORE ANY WRITE"},
    [HELD_LOCK] = {.rule = "HELD LOCK"},
    [OWNER] = {.rule = "OWNER"},
    [KNOWN_ORDER] = {.rule = "KNOWN ORDER"},
    [LOCKSET] = {.rule = "LOCKSET"},
    [WRITE_READ_RACE] = {.rule = "WRITE-READ RACE"},
    [WRITE_WRITE_RACE] = {.rule = "WRITE-WRITE RACE"},
    [READ_WRITE_RACE] = {.rule = "READ-WRITE RACE"},
};

/* A lock and how it is held: (id + 1) * 2, plus 1 for writing; 0: none. */
#define WRITING    1u
#define NO_LOCK    0u
#define lock_of(h) (((h) >> 1) - 1)

hot_inline uint32_t hold_of(uint32_t lock, uint32_t writing)
{
    return (lock + 1) << 1 | writing;
}

struct info {
    union {
        uint64_t event;
        struct readers *readers; /* in the place of a read, where point is MANY */
    };
    uint32_t point; /* detect/updates.h; 0: no such access */
    uint32_t lock;  /* one held at the access, or NO_LOCK */
};

#define MANY UINT32_MAX

struct variable {
    struct info write, read;
};
_Static_assert(sizeof(struct variable) == 32, "two variables a cache line");

/* Reads of different threads, ascending by thread. */
struct readers {
    uint32_t count, capacity;
    struct info read[];
};

struct holder {
    uint32_t *hold; /* outermost first */
    size_t count, capacity;
};

struct goldilocks {
    struct host *host;
    uint64_t fired[RULES];
    struct updates updates;
    struct variable *variable;
    struct holder *holder; /* by thread */
    uint32_t *writer;      /* by lock: the thread that holds it for writing + 1, or 0 */
    size_t variable_capacity, holder_capacity, writer_capacity;
    size_t reader_bytes, read_shared;
    uint64_t sync_events;
    struct rule_count counted[RULES];
};

/* --- locks held now --- */

static bool holds_for_reading(const struct goldilocks *d, uint32_t thread, uint32_t lock)
{
    const struct holder *holder = &d->holder[thread];
    for (size_t i = holder->count; i-- > 0;)
        if (holder->hold[i] == hold_of(lock, 0))
            return true;
    return false;
}

static bool holds_for_writing(const struct goldilocks *d, uint32_t thread, uint32_t lock)
{
    return d->writer[lock] == thread + 1;
}

/* `then` was held at an access. If the thread holds the lock now, and not both only read, the lock changed
 * hands in between (or it is the same thread): the access happens before now. */
static bool excludes(const struct goldilocks *d, uint32_t thread, uint32_t then)
{
    if (then == NO_LOCK)
        return false;
    uint32_t lock = lock_of(then);
    return holds_for_writing(d, thread, lock) || ((then & WRITING) && holds_for_reading(d, thread, lock));
}

/* A lock that the thread holds: the one that protected the variable before, or else the innermost. */
static uint32_t choose_lock(const struct goldilocks *d, uint32_t thread, uint32_t before)
{
    const struct holder *holder = &d->holder[thread];
    if (holder->count == 0)
        return NO_LOCK;
    uint32_t lock = before == NO_LOCK ? 0 : lock_of(before);
    if (before == NO_LOCK || !(holds_for_writing(d, thread, lock) || holds_for_reading(d, thread, lock)))
        lock = lock_of(holder->hold[holder->count - 1]);
    return hold_of(lock, holds_for_writing(d, thread, lock));
}

static void take(struct goldilocks *d, uint32_t thread, uint32_t hold)
{
    struct holder *holder = &d->holder[thread];
    holder->hold =
        mem_reserve(&d->host->mem, holder->hold, sizeof *holder->hold, &holder->capacity, holder->count + 1);
    holder->hold[holder->count++] = hold;
}

static void give_back(struct goldilocks *d, uint32_t thread, uint32_t hold)
{
    struct holder *holder = &d->holder[thread];
    size_t i = holder->count - 1;
    while (holder->hold[i] != hold)
        i--;
    memmove(&holder->hold[i], &holder->hold[i + 1], (--holder->count - i) * sizeof *holder->hold);
}

/* --- infos --- */

/* How the access is known to happen before what the thread does now; UNORDERED if it does not. */
static enum rule check(struct goldilocks *d, const struct info *info, uint32_t thread)
{
    static const enum rule rule_of[] = {
        [UPDATES_KNOWN] = KNOWN_ORDER, [UPDATES_COMPUTED] = LOCKSET, [UPDATES_UNORDERED] = UNORDERED};
    if (excludes(d, thread, info->lock))
        return HELD_LOCK;
    if (updates_owner(&d->updates, info->point) == thread)
        return OWNER;
    return rule_of[updates_ordered(&d->updates, info->point, thread)];
}

static void forget(struct goldilocks *d, struct info *info)
{
    if (info->point != 0)
        updates_drop(&d->updates, info->point);
    *info = (struct info){0};
}

static void describe(struct goldilocks *d, struct info *info, uint32_t thread, uint64_t n,
                     uint32_t lock_before)
{
    uint32_t point = updates_point(&d->updates, thread);
    if (info->point != 0)
        updates_drop(&d->updates, info->point);
    *info = (struct info){.event = n, .point = point, .lock = choose_lock(d, thread, lock_before)};
}

/* --- concurrent readers --- */

static size_t readers_size(uint32_t capacity)
{
    return sizeof(struct readers) + capacity * sizeof(struct info);
}

static struct readers *readers_resize(struct goldilocks *d, struct readers *old, uint32_t capacity)
{
    size_t before = old == NULL ? 0 : readers_size(old->capacity);
    size_t after = capacity == 0 ? 0 : readers_size(capacity);
    struct readers *readers = mem_resize(&d->host->mem, old, before, after);
    d->reader_bytes += after - before;
    if (readers != NULL)
        readers->capacity = capacity;
    return readers;
}

/* Where the thread's read is, or belongs. */
static uint32_t place_of(const struct goldilocks *d, const struct readers *readers, uint32_t thread)
{
    uint32_t low = 0, high = readers->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (updates_owner(&d->updates, readers->read[middle].point) < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Has the thread read since its last release? `current` is its point. */
static bool has_read(const struct goldilocks *d, const struct readers *readers, uint32_t thread,
                     uint32_t current)
{
    uint32_t i = place_of(d, readers, thread);
    return i < readers->count && readers->read[i].point == current;
}

/* The thread's read among others: the one it has, or a new one that is still empty. */
static struct info *reader_of(struct goldilocks *d, struct info *read, uint32_t thread)
{
    struct readers *readers = read->readers;
    uint32_t i = place_of(d, readers, thread);
    if (i < readers->count && updates_owner(&d->updates, readers->read[i].point) == thread)
        return &readers->read[i];
    if (readers->count == readers->capacity)
        read->readers = readers = readers_resize(d, readers, 2 * readers->capacity);
    memmove(&readers->read[i + 1], &readers->read[i], (readers->count++ - i) * sizeof *readers->read);
    readers->read[i] = (struct info){0};
    return &readers->read[i];
}

static void make_shared(struct goldilocks *d, struct info *read)
{
    struct readers *readers = readers_resize(d, NULL, 2);
    readers->count = 1;
    readers->read[0] = *read;
    *read = (struct info){.readers = readers, .point = MANY};
    d->read_shared++;
}

static void copy_info(struct goldilocks *d, struct info *to, const struct info *from)
{
    *to = *from;
    if (from->point != 0)
        updates_keep(&d->updates, from->point);
}

static void copy_readers(struct goldilocks *d, struct info *to, const struct readers *from)
{
    struct readers *readers = readers_resize(d, NULL, from->capacity);
    readers->count = from->count;
    for (uint32_t i = 0; i < from->count; i++)
        copy_info(d, &readers->read[i], &from->read[i]);
    *to = (struct info){.readers = readers, .point = MANY};
    d->read_shared++;
}

static void add_read(struct goldilocks *d, struct variable *v, uint32_t thread, uint64_t n)
{
    struct info *read = &v->read;
    if (read->point != 0 && read->point != MANY && check(d, read, thread) == UNORDERED)
        make_shared(d, read);
    if (read->point == MANY)
        read = reader_of(d, read, thread);
    describe(d, read, thread, n, v->write.lock);
}

static void forget_reads(struct goldilocks *d, struct info *read)
{
    if (read->point != MANY) {
        forget(d, read);
        return;
    }
    for (uint32_t i = 0; i < read->readers->count; i++)
        forget(d, &read->readers->read[i]);
    readers_resize(d, read->readers, 0);
    *read = (struct info){0};
    d->read_shared--;
}

/* --- rules --- */

hot_inline enum rule higher(enum rule a, enum rule b)
{
    return a > b ? a : b;
}

static enum rule check_write(struct goldilocks *d, const struct variable *v, uint32_t thread, uint32_t x,
                             uint64_t n, enum race_kind kind)
{
    enum rule rule = check(d, &v->write, thread);
    if (likely(rule != UNORDERED))
        return rule;
    host_race(d->host, kind, x, v->write.event, n);
    return kind == RACE_WRITE_READ ? WRITE_READ_RACE : WRITE_WRITE_RACE;
}

static enum rule check_reads(struct goldilocks *d, const struct variable *v, uint32_t thread, uint32_t x,
                             uint64_t n)
{
    bool many = v->read.point == MANY;
    const struct info *read = many ? v->read.readers->read : &v->read;
    uint32_t count = many ? v->read.readers->count : 1;
    enum rule rule = FIRST_ACCESS;
    for (uint32_t i = 0; i < count; i++) {
        enum rule one = check(d, &read[i], thread);
        if (unlikely(one == UNORDERED)) {
            host_race(d->host, RACE_READ_WRITE, x, read[i].event, n);
            one = READ_WRITE_RACE;
        }
        rule = higher(rule, one);
    }
    return rule;
}

static int on_read(struct goldilocks *d, uint32_t thread, uint32_t x, uint64_t n)
{
    struct variable *v = &d->variable[x];
    uint32_t current = updates_current(&d->updates, thread);
    if (likely(current != 0) && (v->read.point == current || v->write.point == current))
        return SAME_SEGMENT;
    if (v->read.point == MANY && has_read(d, v->read.readers, thread, current))
        return SAME_SEGMENT;
    enum rule rule = v->read.point == 0 ? FIRST_ACCESS : NO_WRITE;
    if (v->write.point != 0)
        rule = check_write(d, v, thread, x, n, RACE_WRITE_READ);
    add_read(d, v, thread, n);
    return rule;
}

static int on_write(struct goldilocks *d, uint32_t thread, uint32_t x, uint64_t n)
{
    struct variable *v = &d->variable[x];
    uint32_t current = updates_current(&d->updates, thread);
    if (likely(current != 0) && v->write.point == current && (v->read.point == 0 || v->read.point == current))
        return SAME_SEGMENT;
    enum rule rule = FIRST_ACCESS;
    if (v->write.point != 0)
        rule = check_write(d, v, thread, x, n, RACE_WRITE_WRITE);
    if (v->read.point != 0) {
        rule = higher(rule, check_reads(d, v, thread, x, n));
        forget_reads(d, &v->read);
    }
    describe(d, &v->write, thread, n, v->write.lock);
    return rule;
}

static void on_alloc(struct goldilocks *d, uint32_t x)
{
    forget(d, &d->variable[x].write);
    forget_reads(d, &d->variable[x].read);
}

static void copy(void *self, uint32_t from, uint32_t to)
{
    struct goldilocks *d = self;
    const struct variable *v = &d->variable[from];
    copy_info(d, &d->variable[to].write, &v->write);
    if (v->read.point == MANY)
        copy_readers(d, &d->variable[to].read, v->read.readers);
    else
        copy_info(d, &d->variable[to].read, &v->read);
}

static void on_start(struct goldilocks *d, uint32_t thread)
{
    updates_start(&d->updates, thread);
}

static void on_sync(struct goldilocks *d, const struct event *e)
{
    d->sync_events++;
    switch (e->op) {
    case OP_ACQUIRE:
        d->writer[e->target] = e->thread + 1;
        take(d, e->thread, hold_of(e->target, WRITING));
        break;
    case OP_RELEASE:
        d->writer[e->target] = 0;
        give_back(d, e->thread, hold_of(e->target, WRITING));
        break;
    case OP_READ_ACQUIRE:
        take(d, e->thread, hold_of(e->target, 0));
        break;
    case OP_READ_RELEASE:
        give_back(d, e->thread, hold_of(e->target, 0));
        break;
    }
    updates_sync(&d->updates, e);
}

/* --- life --- */

static void *create(struct host *host)
{
    struct goldilocks *d = mem_alloc(&host->mem, sizeof *d);
    d->host = host;
    updates_init(&d->updates, &host->mem, &host->closed_world, GOLDILOCKS_CELLS);
    return d;
}

static void extend(void *self)
{
    struct goldilocks *d = self;
    struct mem *mem = &d->host->mem;
    const struct extent *to = &d->host->extent;
    updates_extend(&d->updates, to);
    d->variable =
        mem_reserve_tight(mem, d->variable, sizeof *d->variable, &d->variable_capacity, to->variables);
    d->holder = mem_reserve(mem, d->holder, sizeof *d->holder, &d->holder_capacity, to->threads);
    d->writer = mem_reserve(mem, d->writer, sizeof *d->writer, &d->writer_capacity, to->locks);
}

static void stats(void *self, struct detector_stats *out)
{
    struct goldilocks *d = self;
    const struct updates *u = &d->updates;
    *out = (struct detector_stats){.variable_bytes = d->variable_capacity * sizeof *d->variable +
                                                     d->reader_bytes + updates_point_bytes(u),
                                   .sync_events = d->sync_events,
                                   .read_shared = d->read_shared};
    stats_rules(out, rule_table, d->fired, d->counted, RULES);
    out->sync_bytes = d->host->mem.bytes - out->variable_bytes;
    snprintf(out->note, sizeof out->note,
             "%" PRIu64 " locksets computed in %" PRIu64 " steps; %" PRIu64 " cells folded in %" PRIu64
             " folds",
             u->locksets, u->steps, u->folded, u->folds);
}

static void destroy(void *self)
{
    struct goldilocks *d = self;
    struct mem *mem = &d->host->mem;
    for (size_t i = 0; i < d->variable_capacity; i++)
        if (d->variable[i].read.point == MANY)
            readers_resize(d, d->variable[i].read.readers, 0);
    for (size_t i = 0; i < d->holder_capacity; i++)
        mem_free(mem, d->holder[i].hold, d->holder[i].capacity * sizeof *d->holder[i].hold);
    mem_free(mem, d->variable, d->variable_capacity * sizeof *d->variable);
    mem_free(mem, d->holder, d->holder_capacity * sizeof *d->holder);
    mem_free(mem, d->writer, d->writer_capacity * sizeof *d->writer);
    updates_free(&d->updates);
    mem_free(mem, d, sizeof *d);
}

DETECTOR(GOLDILOCKS_ID, struct goldilocks, .name = GOLDILOCKS_NAME, .source = "Goldilocks (2006), Fig. 3",
         .promise = "precise; lazy locksets with short circuits, reads told from writes", .precise = true);
