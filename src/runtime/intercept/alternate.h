/* Stacks for signal handlers (intercept/alternate.c). */
#pragma once

#include "runtime/thread.h"

/* The program has set one in some thread. Never becomes false again. */
extern HIDDEN bool alternate_used;

/* In a thread that begins. */
HIDDEN void alternate_begin(struct thread *t);

/* Functions that a handler on its own stack has called are left, for the stack that it has interrupted. */
HIDDEN void alternate_leave(struct thread *t, uintptr_t to);
