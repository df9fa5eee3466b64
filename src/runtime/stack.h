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

/* The stack of the call that returns to pc, with a mark (enum wire_mark) on top: functions registered by that call run on it. */
HIDDEN uint32_t stack_node_marked(struct thread *t, uintptr_t pc, uintptr_t mark);

/* The calls that follow are on top of this node. `sp` is the stack pointer of the function that makes them. */
HIDDEN void stack_push_node(struct thread *t, uint32_t node, uintptr_t sp);

/* A jump to a function of the thread whose stack pointer is `sp` there: the frames that it skips go.
 *
 * Frames lie at ever lower addresses the further in they are. A function's own frame was entered with a stack
 * pointer of at least `sp` (alloca() only lowers it); that of whatever it calls is at least 16 bytes below, for
 * a return address and the alignment. Half an address will do: no stack has 2 GiB. */
HIDDEN void stack_cut(struct thread *t, uintptr_t sp);

/* Frames of functions that run on another stack, which begins here, and that are left altogether. */
HIDDEN void stack_cut_other(struct thread *t, uintptr_t stack, size_t size);

/* Fills in return addresses from the innermost call outwards; returns how many there are, at most `most`. */
HIDDEN size_t stack_unwind(uint32_t node, uintptr_t *pc, size_t most);
/* The same without calls of ours, such as of a signal handler. */
HIDDEN size_t stack_of_program(uint32_t node, uintptr_t *pc, size_t most);
/* That, with marks: for reports. */
HIDDEN size_t stack_with_marks(uint32_t node, uintptr_t *pc, size_t most);

/* Is one of its calls that which returns to pc? */
HIDDEN bool stack_has(uint32_t node, uintptr_t pc);
