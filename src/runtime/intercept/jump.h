/* Jumps out of functions (intercept/jump.c). */
#pragma once

#include "runtime/thread.h"

/* The calling thread is about to have this stack pointer: the frames of what it leaves go. */
HIDDEN void jump_cut(struct thread *t, uintptr_t sp);
