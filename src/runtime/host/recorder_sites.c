/* The tape's places: each different site, and each call stack that a site has, once. Sites are found without
 * the lock, as the nodes of runtime/stack.c are. */
#include "runtime/host/blocks.h"
#include "runtime/host/events.h"
#include "runtime/host/recorder.h"
#include "runtime/stack.h"

struct site {
    uint32_t free_link; /* base/arena.h; sites are never given back */
    uint32_t next, node;
    uint32_t tape; /* that it is on */
    uintptr_t pc;
    unsigned how;
};

enum { BUCKET_BITS = 16 };

static struct slab sites = {.object = sizeof(struct site)};
static uint32_t bucket[1 << BUCKET_BITS]; /* grows only at its head */
static uint32_t *told;                    /* by node of the stack: the tape that it is on */
static size_t told_capacity;
static struct tape_pen pen = {.stream = TAPE_PLACES};

static struct site *site_at(uint32_t number)
{
    return slab_at(&sites, number);
}

static uint32_t *bucket_of(uintptr_t pc, uint32_t node, unsigned how)
{
    uint64_t hash = (pc ^ (uint64_t)node << 40 ^ (uint64_t)how << 24) * UINT64_C(0x9e3779b97f4a7c15);
    return &bucket[hash >> (64 - BUCKET_BITS)];
}

static uint32_t find(uint32_t number, uintptr_t pc, uint32_t node, unsigned how)
{
    for (; number != 0; number = site_at(number)->next) {
        const struct site *s = site_at(number);
        if (s->pc == pc && s->node == node && s->how == how)
            return number;
    }
    return 0;
}

static uint8_t *begin_record(enum tape_op op, uint64_t a, uint64_t b)
{
    if (!recorder_room(&pen, TAPE_MOST_RECORD, 0))
        return NULL;
    *pen.at = (uint8_t)op;
    return pen_varint(pen_varint(pen.at + 1, a), b);
}

static void tell_stack(uint32_t node)
{
    uintptr_t pc[TAPE_MOST_FRAMES];
    size_t count = stack_of_program(node, pc, TAPE_MOST_FRAMES);
    uint8_t *at = begin_record(TAPE_STACK, node, count);
    if (at == NULL)
        return;
    __builtin_memcpy(at, pc, count * sizeof *pc);
    pen_written(&pen, at + count * sizeof *pc, 0);
}

static void tell(struct site *s, uint32_t number)
{
    told = mem_reserve(events_mem, told, sizeof *told, &told_capacity, s->node + 1);
    if (told[s->node] != recorder_tape)
        tell_stack(s->node);
    told[s->node] = recorder_tape;
    uint8_t *at = begin_record(TAPE_SITE, number, s->pc);
    if (at != NULL)
        pen_written(&pen, pen_varint(at, (uint64_t)s->node << 8 | s->how), 0);
    store_release(&s->tape, recorder_tape);
}

uint32_t recorder_site_locked(uintptr_t pc, uint32_t node, unsigned how)
{
    uint32_t *head = bucket_of(pc, node, how), number = find(*head, pc, node, how);
    if (unlikely(number == 0)) {
        number = slab_take(&sites);
        *site_at(number) = (struct site){.next = *head, .node = node, .pc = pc, .how = how};
        store_release(head, number);
    }
    if (unlikely(site_at(number)->tape != recorder_tape))
        tell(site_at(number), number);
    return number;
}

uint32_t recorder_site(uintptr_t pc, uint32_t node, unsigned how)
{
    uint32_t number = find(load_acquire(bucket_of(pc, node, how)), pc, node, how);
    if (likely(number != 0 && load_acquire(&site_at(number)->tape) == recorder_tape))
        return number;
    events_enter();
    number = recorder_site_locked(pc, node, how);
    events_leave();
    return number;
}

void recorder_sites_again(void)
{
    pen = (struct tape_pen){.stream = TAPE_PLACES};
}
