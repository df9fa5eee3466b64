#include "runtime/stack.h"

#include "report/wire.h"
#include "runtime/intercept/own_code.h"
#include "runtime/world.h"

struct node {
    uint32_t free_link; /* base/arena.h; nodes are never given back */
    uint32_t parent, next;
    uintptr_t pc;
};

enum { BUCKET_BITS = 18, BUCKETS = 1 << BUCKET_BITS };

/* A function that calls itself in more than one place has ever new stacks, one for each way through it. From
 * so many nodes on, a call that is already among those around it is taken for that one: what is between is
 * left out, and the tree stays as large as the program. */
#ifndef STACK_PLENTY /* a test build has it lower */
#define STACK_PLENTY (1 << 20)
#endif

static struct spin lock;
static struct slab nodes = {.object = sizeof(struct node)};
static uint32_t bucket[BUCKETS]; /* index of the first node, or 0; grows only at its head */

static struct node *node_at(uint32_t index)
{
    return slab_at(&nodes, index);
}

static uint32_t find(uint32_t index, uint32_t parent, uintptr_t pc)
{
    while (index != 0 && (node_at(index)->parent != parent || node_at(index)->pc != pc))
        index = node_at(index)->next;
    return index;
}

/* The innermost call around that is the same; 0: there is none near. */
cold_path static uint32_t same_around(uint32_t node, uintptr_t pc)
{
    enum { NEAR = 256 };
    for (unsigned i = 0; i < NEAR && node != 0; i++, node = node_at(node)->parent)
        if (node_at(node)->pc == pc)
            return node;
    return 0;
}

static uint32_t find_or_make(uint32_t parent, uintptr_t pc)
{
    uint64_t hash = (pc ^ (uint64_t)parent << 32) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t *head = &bucket[hash >> (64 - BUCKET_BITS)];
    uint32_t index = find(load_acquire(head), parent, pc);
    if (index == 0 && unlikely(load_relaxed(&nodes.used) >= STACK_PLENTY))
        index = same_around(parent, pc);
    if (likely(index != 0))
        return index;
    world_enter(thread_self); /* nobody has the lock when another thread forks */
    spin_lock(&lock);
    index = find(*head, parent, pc);
    if (index == 0) {
        index = slab_take(&nodes);
        *node_at(index) = (struct node){.parent = parent, .pc = pc, .next = *head};
        store_release(head, index);
    }
    spin_unlock(&lock);
    world_leave(thread_self);
    return index;
}

static uint32_t child(struct thread *t, uint32_t parent, uintptr_t pc)
{
    struct known_call *known = &t->calls[(pc ^ pc >> 5) % CALLS_KNOWN];
    if (unlikely(known->pc != pc || known->parent != parent))
        *known = (struct known_call){.pc = pc, .parent = parent, .node = find_or_make(parent, pc)};
    return known->node;
}

uint32_t stack_node_slow(struct thread *t)
{
    t->inside++; /* what is known of calls is changed in several steps */
    struct frame *known = t->top;
    while (known > t->stack && known->node == 0)
        known--;
    uint32_t node = known->node;
    for (struct frame *f = known + 1; f <= t->top; f++)
        f->node = node = child(t, node, f->pc);
    thread_outside(t);
    return node;
}

uint32_t stack_node_with(struct thread *t, uintptr_t pc)
{
    return child(t, stack_node(t), pc);
}

uint32_t stack_node_marked(struct thread *t, uintptr_t pc, uintptr_t mark)
{
    return child(t, stack_node_with(t, pc), mark);
}

void stack_push_node(struct thread *t, uint32_t node, uintptr_t sp)
{
    if (t->top + 1 < t->stack_end)
        *++t->top = (struct frame){.node = node, .sp = (uint32_t)sp};
}

void stack_cut(struct thread *t, uintptr_t sp)
{
    enum { RETURN_ADDRESS = 8 };
    while (t->top > t->stack && (int32_t)(t->top->sp + RETURN_ADDRESS - (uint32_t)sp) < 0)
        t->top--;
}

void stack_cut_other(struct thread *t, uintptr_t stack, size_t size)
{
    while (t->top > t->stack && t->top->sp - (uint32_t)stack < size)
        t->top--;
}

bool stack_has(uint32_t node, uintptr_t pc)
{
    while (node != 0 && node_at(node)->pc != pc)
        node = node_at(node)->parent;
    return node != 0;
}

/* Return addresses, innermost first; of our own calls and of marks, those that are wanted. */
static size_t unwind(uint32_t node, uintptr_t *pc, size_t most, bool own, bool marks)
{
    size_t count = 0;
    for (; node != 0 && count < most; node = node_at(node)->parent) {
        uintptr_t at = node_at(node)->pc;
        if (at < WIRE_MARKS ? marks : own || !is_own_code(at))
            pc[count++] = at;
    }
    return count;
}

size_t stack_unwind(uint32_t node, uintptr_t *pc, size_t most)
{
    return unwind(node, pc, most, true, false);
}

size_t stack_of_program(uint32_t node, uintptr_t *pc, size_t most)
{
    return unwind(node, pc, most, false, false);
}

size_t stack_with_marks(uint32_t node, uintptr_t *pc, size_t most)
{
    return unwind(node, pc, most, false, true);
}
