/* Call stacks as nodes of one tree: a node is a call site under its caller's node, and exists once. The stack
 * of an access is then one number; it is worked out only for accesses that changed the shadow, and each frame
 * remembers its node, so that a loop pays for it once. */
#pragma once

#include "runtime/thread.h"

/* The node of the thread's current call stack; 0 outside all instrumented functions. */
HIDDEN uint32_t stack_node_slow(struct thread *t);

hot_inline uint32_t stack_node(struct thread *t)
{
    uint32_t node = t->top->node;
    return likely(node != 0) ? node : stack_node_slow(t);
}

/* The same with one more call on top: the one that returns to pc. */
HIDDEN uint32_t stack_node_with(struct thread *t, uintptr_t pc);

/* Fills in return addresses from the innermost call outwards; returns how many there are, at most `most`. */
HIDDEN size_t stack_unwind(uint32_t node, uintptr_t *pc, size_t most);
