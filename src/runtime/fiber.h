/* What others ask about fibers (runtime/fiber.c). */
#pragma once

#include "runtime/thread.h"

/* The program has told of one. Never becomes false again. */
extern HIDDEN bool fibers_exist;

/* The calling thread ends, as what it began as, whichever fiber it is now. Returns that. */
HIDDEN struct thread *fiber_go_home(struct thread *t);
