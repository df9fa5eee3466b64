#include "runtime/history.h"

#include "runtime/stack.h"

enum { LEAST_ENTRIES = 1 << 13, MOST_SIZE = 7 };

unsigned history_size = 2;

/* The lock changes come after the entries. */
static size_t bytes_of(uint64_t entries, uint64_t changes)
{
    return sizeof(struct history) + entries * sizeof(struct entry) + changes * sizeof(struct held_change);
}

/* Memory comes when it is first used. */
struct history *history_new(void)
{
    uint64_t entries = (uint64_t)LEAST_ENTRIES << min_size(history_size, MOST_SIZE), changes = entries / 4;
    struct history *h = arena_pages(bytes_of(entries, changes));
    h->mask = entries - 1;
    h->held_change_mask = (uint32_t)changes - 1;
    h->held_change = (struct held_change *)(h->entry + entries);
    return h;
}

void history_free(struct history *h)
{
    arena_pages_free(h, bytes_of(h->mask + 1, (uint64_t)h->held_change_mask + 1));
}

void history_empty(struct history *h)
{
    h->head = 0;
}

static enum entry_tag tag_of(const struct entry *e)
{
    return e->a & 3;
}

static bool is_context(const struct entry *e)
{
    return (load_relaxed(&e->a) & 3) == ENTRY_CONTEXT;
}

/* --- adding --- */

static void put_context(struct thread *t)
{
    t->context.until = t->history->head + HISTORY_REPEAT;
    history_put(t->history, (uint64_t)t->context.node << 32 | ENTRY_CONTEXT,
                (uint64_t)t->actor.now << 32 | t->held_changes);
}

static void say_context(struct thread *t, uint32_t node)
{
    t->context.number += t->context.number != UINT32_MAX ? 1 : 2; /* no context has the number 0 */
    t->context.live = t->context.number;
    t->context.node = node;
    t->context.held_changes = t->held_changes;
    put_context(t);
}

/* A loop that calls a function for each step: another call, the same context. */
void history_context_slow(struct thread *t)
{
    uint32_t node = stack_node(t);
    if (t->context.live == 0 || t->context.node != node || t->context.held_changes != t->held_changes)
        say_context(t, node);
    else if (t->history->head >= t->context.until)
        put_context(t); /* it is the same */
}

static uint64_t more(uint32_t count, int32_t stride)
{
    return (uint64_t)count << 32 | (uint32_t)stride;
}

/* Two entries. Returns the number of the second. */
static inline uint64_t put_run(struct history *h, const struct access *a, uint32_t count, int32_t stride)
{
    history_put(h, history_access(a), a->address);
    history_put(h, (uint64_t)a->size << 32 | ENTRY_MORE, more(count, stride));
    return h->head - 1;
}

void history_large(struct thread *t, const struct access *a)
{
    put_run(t->history, a, 1, 0);
}

void history_add_at(struct thread *t, const struct access *a, uint32_t node)
{
    say_context(t, node);
    history_put(t->history, history_access(a), a->address);
}

void history_add_run(struct thread *t, const struct access *a, uint32_t count, int32_t stride)
{
    if (unlikely(!history_is_current(t)))
        history_context_slow(t);
    put_run(t->history, a, count, stride);
}

/* --- epochs that mean something else --- */

void history_forget_epochs(struct thread *t, uint32_t first, uint32_t last)
{
    struct history *h = t->history;
    history_change_context(t);
    for (uint64_t i = 0; i < h->head && i <= h->mask; i++) {
        struct entry *e = &h->entry[i];
        if (is_context(e) && e->b >> 32 >= first && e->b >> 32 <= last)
            e->b = (uint32_t)e->b;
    }
    for (uint32_t i = 0; i < t->held_changes && i <= h->held_change_mask; i++) {
        struct held_change *change = history_held(h, i);
        if (change->epoch >= first && change->epoch <= last)
            change->epoch = 0;
    }
}

static void rename_epoch(uint32_t *half, uint32_t (*map)(uint32_t half))
{
    uint32_t old = load_relaxed(half), new = map(old);
    if (new != old)
        cas_relaxed(half, &old, new);
}

void history_rename(struct thread *t, uint32_t (*map)(uint32_t half))
{
    struct history *h = t->history;
    history_change_context(t);
    uint64_t entries = load_acquire(&h->head);
    uint32_t changes = load_acquire(&t->held_changes);
    for (uint64_t i = 0; i < entries && i <= h->mask; i++)
        if (is_context(&h->entry[i]))
            rename_epoch((uint32_t *)&h->entry[i].b + 1, map);
    for (uint32_t i = 0; i < changes && i <= h->held_change_mask; i++)
        rename_epoch(&history_held(h, i)->epoch, map);
}

/* --- finding --- */

struct run {
    uintptr_t address; /* of the first access */
    size_t size, last; /* last: of the last access */
    uint32_t count;
    int32_t stride;
};

/* *start, *size: of the access that does. */
static bool covers(const struct run *run, uintptr_t address, uintptr_t *start, size_t *size)
{
    intptr_t offset = (intptr_t)(address - run->address), stride = run->stride;
    *start = run->address;
    *size = run->last;
    if (run->count == 1 || stride == 0)
        return offset >= 0 && offset < (intptr_t)run->last;
    if (stride < 0) { /* seen from its other end */
        offset -= (intptr_t)(run->count - 1) * stride;
        stride = -stride;
    }
    if (offset < 0)
        return false;
    /* Steps shorter than the access overlap: the last one that begins at or before the address may cover it.
     */
    intptr_t step = offset / stride;
    if (step >= (intptr_t)run->count)
        step = (intptr_t)run->count - 1;
    *start = address - (uintptr_t)(offset - step * stride);
    *size = step == (intptr_t)run->count - 1 ? run->last : run->size;
    return offset - step * stride < (intptr_t)*size;
}

static struct run run_of(const struct entry *access, const struct entry *more)
{
    size_t size = access->a >> 8 & 0xff, last = more->a >> 8 & 0xff;
    if (tag_of(more) != ENTRY_MORE)
        return (struct run){.address = access->b, .size = size, .last = size, .count = 1};
    size = more->a >> 32;
    return (struct run){access->b, size, last != 0 ? last : size, (uint32_t)(more->b >> 32),
                        (int32_t)(uint32_t)more->b};
}

/* Where the entry's context is; `oldest` less 1: nowhere. */
static uint64_t context_of(const struct history *h, uint64_t number, uint64_t oldest)
{
    while (--number >= oldest && number != UINT64_MAX)
        if (is_context(&h->entry[number & h->mask]))
            return number;
    return oldest - 1;
}

bool history_find(const struct thread *t, uint32_t half, uintptr_t address, enum access_kind kind,
                  struct access_site *site)
{
    const struct history *h = t->history;
    /* The owner may be overwriting the oldest ones before it says so. */
    uint64_t head = load_acquire(&h->head), oldest = head > h->mask ? head - h->mask + 1 : 0;
    struct entry next = {0, 0};
    for (uint64_t i = head; i-- > oldest;) {
        uintptr_t start;
        size_t size;
        struct entry e = h->entry[i & h->mask];
        struct run run = run_of(&e, &next);
        next = e;
        if (tag_of(&e) != ENTRY_ACCESS || (e.a >> 2 & 7) != kind || !covers(&run, address, &start, &size))
            continue;
        uint64_t at = context_of(h, i, oldest);
        if (at == oldest - 1)
            return false;
        struct entry context = h->entry[at & h->mask];
        if (load_acquire(&h->head) > at + h->mask)
            return false; /* the owner has overwritten what was just read */
        if (context.b >> 32 != half)
            continue;
        *site = (struct access_site){.pc = e.a >> 16,
                                     .node = (uint32_t)(context.a >> 32),
                                     .kind = (uint8_t)kind,
                                     .is_free = e.a >> 5 & 1,
                                     .held_known = true,
                                     .held_changes = (uint32_t)context.b,
                                     .address = start,
                                     .size = size,
                                     .number = run.count == 1 ? i + 1 : 0};
        return true;
    }
    return false;
}

/* A context comes at least every HISTORY_REPEAT entries. */
struct history_mark history_mark(const struct thread *t, uint32_t half)
{
    const struct history *h = t->history;
    uint64_t head = load_acquire(&h->head);
    struct history_mark mark = {.head = head, .half = half, .whole = head <= h->mask};
    for (uint64_t i = head - h->mask + 1; !mark.whole && i < head; i++) {
        if (!is_context(&h->entry[i & h->mask]))
            continue;
        mark.whole = load_relaxed(&h->entry[i & h->mask].b) >> 32 != half;
        break;
    }
    return mark;
}

/* A context, the access, how many there are; or the fields of a row (runtime/fields.c): more entries than that are
 * of later accesses. */
bool history_may_come(const struct thread *t, const struct history_mark *mark)
{
    enum { MOST_OF_ONE = 4 };
    return !load_acquire(&t->ended) && load_acquire(&t->actor.now) == mark->half &&
           load_acquire(&t->history->head) - mark->head <= MOST_OF_ONE;
}

/* --- memory that was moved --- */

/* The latest ones. Written under the lock; who reads one that is being written looks at an address where
 * there was no such access, and at worst finds none. */
enum { MOVES = 64 };
static struct move {
    uintptr_t from, to;
    size_t size;
} move[MOVES];
static uint64_t moves;
static struct spin moves_lock;

void history_moved(uintptr_t from, uintptr_t to, size_t size)
{
    spin_lock(&moves_lock);
    struct move *m = &move[moves % MOVES];
    store_relaxed(&m->from, from);
    store_relaxed(&m->to, to);
    store_relaxed(&m->size, size);
    store_release(&moves, moves + 1);
    spin_unlock(&moves_lock);
}

bool history_before(uint64_t *number, uintptr_t *address)
{
    uint64_t latest = load_acquire(&moves);
    uint64_t i = *number < latest ? *number : latest;
    while (i-- > 0 && latest - i <= MOVES) {
        const struct move *m = &move[i % MOVES];
        uintptr_t offset = *address - load_relaxed(&m->to);
        if (offset >= load_relaxed(&m->size))
            continue;
        *address = load_relaxed(&m->from) + offset;
        *number = i;
        return true;
    }
    return false;
}

bool history_held_at(const struct thread *t, uint32_t change, struct held_change *found)
{
    *found = *history_held(t->history, change);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return load_acquire(&t->held_changes) - change <= t->history->held_change_mask;
}
