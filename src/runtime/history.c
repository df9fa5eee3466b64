#include "runtime/history.h"

#include "runtime/stack.h"

enum { LEAST_RUNS = 1 << 12, MOST_SIZE = 7 };
unsigned history_size = 2;

/* The runs come after the struct, the lock changes after them. */
static size_t bytes_of(uint64_t runs, uint64_t changes)
{
    return sizeof(struct history) + runs * sizeof(struct run) + changes * sizeof(struct held_change);
}

static struct run *run_at(const struct history *h, uint64_t number)
{
    return (struct run *)(h + 1) + (number & (h->runs - 1));
}

/* Memory comes when it is first used. */
struct history *history_new(void)
{
    uint64_t runs = (uint64_t)LEAST_RUNS << min_size(history_size, MOST_SIZE), changes = runs / 2;
    struct history *h = arena_pages(bytes_of(runs, changes));
    h->runs = runs;
    h->held_change_mask = (uint32_t)changes - 1;
    h->held_change = (struct held_change *)((struct run *)(h + 1) + runs);
    return h;
}

void history_free(struct history *h)
{
    arena_pages_free(h, bytes_of(h->runs, (uint64_t)h->held_change_mask + 1));
}

void history_empty(struct history *h)
{
    h->head = 0;
}

/* Epochs are about to mean something else: a run that is open under one of them must not go on. */
static void close_runs(struct thread *t)
{
    for (unsigned i = 0; i < HISTORY_OPEN; i++)
        store_relaxed(&t->open[i].epoch, 0);
}

void history_forget_epochs(struct thread *t, uint32_t first, uint32_t last)
{
    struct history *h = t->history;
    close_runs(t);
    for (uint64_t i = 0; i < h->head && i < h->runs; i++) {
        struct run *run = run_at(h, i);
        if (run->epoch >= first && run->epoch <= last)
            run->epoch = 0;
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
    close_runs(t);
    uint64_t runs = load_acquire(&h->head);
    uint32_t changes = load_acquire(&t->held_changes);
    for (uint64_t i = 0; i < runs && i < h->runs; i++)
        rename_epoch(&run_at(h, i)->epoch, map);
    for (uint32_t i = 0; i < changes && i <= h->held_change_mask; i++)
        rename_epoch(&history_held(h, i)->epoch, map);
}

_Static_assert(HISTORY_OPEN <= UINT8_MAX + 1, "a place fits struct run");

/* Fixes the stride. */
static bool add_second(struct open_run *open, const struct access *a)
{
    struct run *run = open->run;
    intptr_t step = (intptr_t)(a->address - run->address);
    if (run->count != 1 || step != (int32_t)step || step == 0)
        return false;
    run->stride = open->stride = (int32_t)step;
    open->next = a->address + (uintptr_t)step;
    store_release(&run->count, 2);
    return true;
}

static struct run *new_run(struct thread *t, const struct access *a, uint32_t node)
{
    struct history *h = t->history;
    struct run *run = run_at(h, h->head);
    struct open_run *open = &t->open[run->place];
    if (unlikely(open->run == run)) { /* about to be overwritten: it can grow no more */
        open->epoch = 0;
        open->run = NULL;
    }
    *run = (struct run){.pc = a->pc,
                        .place = (uint8_t)history_place(a->pc),
                        .kind = a->kind,
                        .is_free = a->is_free,
                        .address = a->address,
                        .node = node,
                        .epoch = t->actor.now,
                        .held_changes = t->held_changes,
                        .count = 1,
                        .size = a->size};
    store_release(&h->head, h->head + 1);
    return run;
}

void history_add_at(struct thread *t, const struct access *a, uint32_t node)
{
    new_run(t, a, node);
}

static void begin_run(struct thread *t, const struct access *a, struct open_run *open)
{
    open->run = new_run(t, a, stack_node(t));
    open->pc = a->pc;
    open->next = 0;
    open->key = history_key(a);
    open->epoch = t->actor.now;
    open->node = open->run->node;
    open->held_changes = t->held_changes;
}

void history_add_slow(struct thread *t, const struct access *a, struct open_run *open)
{
    /* A loop that calls a function for each step: another call, the same stack. */
    bool same = open->pc == a->pc && open->epoch == t->actor.now && open->key == history_key(a) &&
                open->held_changes == t->held_changes && open->node == stack_node(t);
    if (unlikely(open->from != 0))
        new_run(t, a, stack_node(t)); /* the open one waits for its piece */
    else if (same && open->next == a->address)
        history_extend(open);
    else if (!same || open->next != 0 || !add_second(open, a))
        begin_run(t, a, open);
}

/* The run of a piece was lost. */
static void begin_again(struct thread *t, struct open_run *open, uint32_t count)
{
    struct access a = {.address = open->from, .pc = open->pc, .size = open->key >> 4, .kind = open->key & 7};
    open->run = new_run(t, &a, open->node);
    open->run->stride = open->stride;
    store_release(&open->run->count, count);
}

/* Will it be a long time before the owner, who goes on, overwrites it? */
static bool is_recent(const struct history *h, const struct run *run)
{
    uint64_t number = (uint64_t)(run - run_at(h, 0)), age = (load_acquire(&h->head) - number) & (h->runs - 1);
    return age < h->runs / 8 * 7;
}

/* The caller has the piece, and is perhaps another thread, which cannot begin a run. */
void history_add_piece(struct thread *t, struct open_run *open, uint32_t count)
{
    struct run *run = load_acquire(&open->run);
    bool own = t == thread_self;
    if (likely(run != NULL && run->epoch == t->actor.now)) {
        if (own || is_recent(t->history, run))
            store_release(&run->count, run->count + count);
    } else if (own) {
        begin_again(t, open, count);
    }
}

/* *start: the address of the access that does. */
static bool covers(const struct run *run, uintptr_t address, uintptr_t *start)
{
    intptr_t offset = (intptr_t)(address - run->address), stride = run->stride;
    *start = run->address;
    if (run->count == 1 || stride == 0) /* 0: the owner is adding the second */
        return offset >= 0 && offset < (intptr_t)run->size;
    if (stride < 0) { /* seen from its other end */
        offset -= (intptr_t)(run->count - 1) * stride;
        stride = -stride;
    }
    if (offset < 0)
        return false;
    /* Steps shorter than the access overlap: the last one that begins at or before the address may cover it. */
    intptr_t step = offset / stride;
    if (step >= (intptr_t)run->count)
        step = (intptr_t)run->count - 1;
    *start = address - (uintptr_t)(offset - step * stride);
    return offset - step * stride < (intptr_t)run->size;
}

bool history_find(const struct thread *t, uint32_t half, uintptr_t address, enum access_kind kind,
                  struct access_site *site)
{
    const struct history *h = t->history;
    /* The owner may be overwriting the oldest one before it says so. */
    uint64_t head = load_acquire(&h->head), oldest = head >= h->runs ? head - h->runs + 1 : 0;
    for (uint64_t i = head; i-- > oldest;) {
        uintptr_t start;
        struct run run = *run_at(h, i);
        if (run.epoch != half || run.kind != kind || !covers(&run, address, &start))
            continue;
        if (load_acquire(&h->head) >= i + h->runs)
            return false; /* the owner has overwritten what was just read */
        *site = (struct access_site){.pc = run.pc,
                                     .node = run.node,
                                     .kind = run.kind,
                                     .is_free = run.is_free,
                                     .held_known = true,
                                     .held_changes = run.held_changes,
                                     .address = start,
                                     .size = run.size};
        return true;
    }
    return false;
}
