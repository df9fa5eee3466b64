#include "runtime/history.h"

#include "runtime/stack.h"

struct run {
    uintptr_t pc;
    uintptr_t address; /* of the first access */
    uint32_t node, epoch;
    uint32_t count;
    int32_t stride; /* between accesses; 0 while there is only one */
    uint32_t size;
    uint8_t kind;
    bool is_free;
};

enum { RUNS = 1 << 14 };

struct history {
    uint64_t head; /* runs ever begun; the last is at (head - 1) % RUNS. Written by the owner only. */
    struct run run[RUNS];
};

struct history *history_new(void)
{
    return arena_pages(sizeof(struct history));
}

bool history_extend(struct open_run *open, const struct access *a)
{
    struct run *run = open->run;
    if (unlikely(run->count == 1)) {
        intptr_t step = (intptr_t)(a->address - run->address);
        if (step != (int32_t)step || step == 0)
            return false;
        run->stride = (int32_t)step;
    } else if (a->address != open->next || run->count == UINT32_MAX) {
        return false;
    }
    open->next = a->address + (uintptr_t)(intptr_t)run->stride;
    store_release(&run->count, run->count + 1);
    return true;
}

void history_begin_run(struct thread *t, const struct access *a, struct open_run *open)
{
    struct history *h = t->history;
    struct run *run = &h->run[h->head % RUNS];
    for (unsigned i = 0; i < HISTORY_OPEN; i++)
        if (t->open[i].run == run)
            t->open[i].pc = 0; /* about to be overwritten: it can grow no more */
    *run = (struct run){.pc = a->pc,
                        .address = a->address,
                        .node = stack_node(t),
                        .epoch = t->actor.now,
                        .count = 1,
                        .size = a->size,
                        .kind = a->kind,
                        .is_free = a->is_free};
    store_release(&h->head, h->head + 1);
    *open = (struct open_run){
        .pc = a->pc, .key = history_key(t->actor.now, a), .run = run, .frame = t->top, .node = run->node};
}

/* *start: the address of the access that does. */
static bool covers(const struct run *run, uintptr_t address, uintptr_t *start)
{
    intptr_t offset = (intptr_t)(address - run->address), stride = run->stride;
    *start = run->address;
    if (run->count == 1)
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
    uint64_t head = load_acquire(&h->head), oldest = head > RUNS ? head - RUNS : 0;
    for (uint64_t i = head; i-- > oldest;) {
        uintptr_t start;
        struct run run = h->run[i % RUNS];
        if (run.epoch != half || run.kind != kind || !covers(&run, address, &start))
            continue;
        if (load_acquire(&h->head) > i + RUNS)
            return false; /* the owner has overwritten what was just read */
        *site = (struct access_site){.pc = run.pc,
                                     .node = run.node,
                                     .kind = run.kind,
                                     .is_free = run.is_free,
                                     .address = start,
                                     .size = run.size};
        return true;
    }
    return false;
}
