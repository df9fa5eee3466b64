#include "runtime/history.h"

#include "base/sys.h"
#include "runtime/stack.h"

enum { LEAST_ENTRIES = 1 << 13, MOST_SIZE = 7 };

unsigned history_size = 2;

static uint32_t holds;

/* --- memory --- */

/* The lock changes come after the entries, and the spare block after them. */
static size_t bytes_of(uint64_t entries, uint64_t changes)
{
    return sizeof(struct history) + (entries + HISTORY_BLOCK) * sizeof(struct entry) +
           changes * sizeof(struct held_change);
}

void history_empty(struct thread *t)
{
    struct history *h = t->history;
    h->base = 0;
    t->log = (struct history_writer){
        .next = h->entry, .stop = h->entry + HISTORY_BLOCK, .node = NO_CONTEXT, .context_node = NO_CONTEXT};
}

/* Memory comes when it is first used. */
void history_new(struct thread *t)
{
    uint64_t entries = (uint64_t)LEAST_ENTRIES << min_size(history_size, MOST_SIZE), changes = entries / 4;
    struct history *h = t->history = arena_pages(bytes_of(entries, changes));
    h->mask = entries - 1;
    h->held_change_mask = (uint32_t)changes - 1;
    h->held_change = (struct held_change *)(h->entry + entries);
    h->spare = (struct entry *)(h->held_change + changes);
    history_empty(t);
}

void history_free(struct thread *t)
{
    struct history *h = t->history;
    arena_pages_free(h, bytes_of(h->mask + 1, (uint64_t)h->held_change_mask + 1));
}

static enum entry_tag tag_of(const struct entry *e)
{
    return e->a & 3;
}

static bool is_context(const struct entry *e)
{
    return (load_relaxed(&e->a) & 3) == ENTRY_CONTEXT;
}

/* --- what is known --- */

/* When `base` moves on, `next` is at the end of the old block already, which has the number of the new one's first entry. */
struct history_window history_window(const struct thread *t)
{
    const struct history *h = t->history;
    for (;;) {
        uint32_t seq = load_acquire(&h->seq);
        uint64_t base = load_acquire(&h->base);
        uint64_t next = (uint64_t)(load_acquire(&t->log.next) - h->entry);
        if (unlikely(seq % 2 != 0) || unlikely(load_relaxed(&h->seq) != seq)) {
            sys_yield();
            continue;
        }
        uint64_t end = base + HISTORY_BLOCK, entries = h->mask + 1;
        return (struct history_window){.oldest = end > entries ? end - entries : 0,
                                       .head = base + ((next - base) & h->mask)};
    }
}

void history_hold(void)
{
    __atomic_fetch_add(&holds, 1, __ATOMIC_SEQ_CST);
}

void history_release(void)
{
    __atomic_fetch_sub(&holds, 1, __ATOMIC_SEQ_CST);
}

void history_forked(void)
{
    holds = 0;
}

/* --- adding --- */

/* A block goes on where a fold has left so many entries. */
enum { ENOUGH = HISTORY_BLOCK / 4 };

/* Folds what the block has. The world is not stopped meanwhile: whoever stops it renames epochs (history_rename). */
static void fold(struct thread *t)
{
    enum { MOST_FAILURES = 5 };
    struct history *h = t->history;
    struct gate *gate = &t->actor.gate;
    bool inside = t->working > 0 || gate->inside != 0;
    if (t->log.fold_rest > 0) {
        t->log.fold_rest--;
        return;
    }
    if (!inside && !gate_enter(gate))
        return;
    t->inside++; /* a signal waits until it is done, rather than step through it */
    exchange_acq_rel(&h->seq,
                     h->seq + 1); /* a full fence: a hold that comes later waits, one that came is seen */
    if (likely(load_relaxed(&holds) == 0)) {
        struct entry *end = history_fold(h, t->log.stop - HISTORY_BLOCK, t->log.next);
        bool worth = t->log.stop - end >= ENOUGH;
        t->log.fold_failures = worth ? 0 : (uint32_t)min_size(t->log.fold_failures + 1, MOST_FAILURES);
        t->log.fold_rest = (1u << t->log.fold_failures) - 1;
        store_relaxed(&t->log.next, end);
    }
    store_release(&h->seq, h->seq + 1);
    if (!inside)
        gate_leave(gate);
    thread_outside(t);
}

/* What an earlier lap has left in the block's last entries is not of this one. */
static void next_block(struct thread *t)
{
    struct history *h = t->history;
    for (struct entry *e = t->log.next; e < t->log.stop; e++)
        *e = (struct entry){0, 0};
    store_release(&t->log.next, t->log.stop);
    store_release(&h->base, h->base + HISTORY_BLOCK);
    store_release(&t->log.next, &h->entry[h->base & h->mask]);
    t->log.stop = t->log.next + HISTORY_BLOCK;
    history_change_context(t);
}

static void make_room(struct thread *t, uint32_t entries)
{
    if (likely(t->log.stop - t->log.next >= (ptrdiff_t)entries))
        return;
    if (unlikely(t->log.next > t->log.stop)) /* a debugger has let a handler in between */
        t->log.next = t->log.stop;
    fold(t);
    if (t->log.stop - t->log.next < ENOUGH)
        next_block(t);
}

/* Outside of all functions that we know of (node 0), no frame says when that ends: it is always asked. */
static void say_context(struct thread *t, uint32_t node)
{
    t->log.context_node = node;
    t->log.node = node != 0 ? node : NO_CONTEXT;
    history_put(t, (uint64_t)node << 32 | ENTRY_CONTEXT, (uint64_t)t->actor.now << 32 | t->held_changes);
}

/* A loop that calls a function for each step: another call, the same context. */
void history_prepare(struct thread *t, uint32_t entries)
{
    uint32_t node = stack_node(t);
    make_room(t, entries + 1);
    if (t->log.context_node != node)
        say_context(t, node);
    t->log.node = node != 0 ? node : NO_CONTEXT;
}

static uint64_t more(uint32_t count, int32_t stride)
{
    return (uint64_t)count << 32 | (uint32_t)stride;
}

static void put_run(struct thread *t, const struct access *a, uint32_t count, int32_t stride)
{
    history_put(t, history_access(a), a->address);
    history_put(t, (uint64_t)a->size << 32 | ENTRY_MORE, more(count, stride));
}

void history_add_slow(struct thread *t, const struct access *a)
{
    history_prepare(t, 2);
    if (a->size < 256)
        history_put(t, history_access(a), a->address);
    else
        put_run(t, a, 1, 0);
}

void history_add_at(struct thread *t, const struct access *a, uint32_t node)
{
    make_room(t, 2);
    say_context(t, node);
    history_put(t, history_access(a), a->address);
    history_change_context(t);
}

void history_add_run(struct thread *t, const struct access *a, uint32_t count, int32_t stride)
{
    history_prepare(t, 2);
    put_run(t, a, count, stride);
}

/* --- epochs that mean something else --- */

void history_forget_epochs(struct thread *t, uint32_t first, uint32_t last)
{
    struct history *h = t->history;
    struct history_window known = history_window(t);
    history_change_context(t);
    for (uint64_t i = known.oldest; i < known.head; i++) {
        struct entry *e = &h->entry[i & h->mask];
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
    struct history_window known = history_window(t);
    history_change_context(t);
    uint32_t changes = load_acquire(&t->held_changes);
    for (uint64_t i = known.oldest; i < known.head; i++)
        if (is_context(&h->entry[i & h->mask]))
            rename_epoch((uint32_t *)&h->entry[i & h->mask].b + 1, map);
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
    struct history_window known = history_window(t);
    struct entry next = {0, 0};
    for (uint64_t i = known.head; i-- > known.oldest;) {
        uintptr_t start;
        size_t size;
        struct entry e = h->entry[i & h->mask];
        struct run run = run_of(&e, &next);
        next = e;
        if (tag_of(&e) != ENTRY_ACCESS || (e.a >> 2 & 7) != kind || !covers(&run, address, &start, &size))
            continue;
        uint64_t at = context_of(h, i, known.oldest);
        if (at == known.oldest - 1)
            return false;
        struct entry context = h->entry[at & h->mask];
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (at < history_window(t).oldest)
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

struct history_mark history_mark(const struct thread *t, uint32_t half)
{
    const struct history *h = t->history;
    struct history_window known = history_window(t);
    struct history_mark mark = {.head = known.head, .half = half, .whole = known.oldest == 0};
    for (uint64_t i = known.oldest; !mark.whole && i < known.head; i++) {
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
    if (load_acquire(&t->ended) || load_acquire(&t->actor.now) != mark->half)
        return false;
    uint64_t head = history_window(t).head, made = head - mark->head;
    if (head / HISTORY_BLOCK != mark->head / HISTORY_BLOCK)
        made = head - mark->head < 2 * HISTORY_BLOCK ? head % HISTORY_BLOCK
                                                     : HISTORY_BLOCK; /* a block was left early */
    return made <= MOST_OF_ONE;
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
