/* Order through the dynamic linker: what a library's constructors did happens before what another thread does
 * with the library once it has opened it as well, and all that before the destructors, in the thread that
 * closes it last.
 *
 * The dynamic linker has a lock around that, which we do not see. We have one in front of it: dlopen and
 * dlclose hold it from beginning to end, constructors and destructors included, as they hold the linker's.
 * There is one object for all libraries, for they depend on each other. A dlopen that loads nothing gives
 * nothing to others.
 */
#pragma once

#include "runtime/intercept/caller.h"

/* The calling thread knows what was released by those who had the lock before. Recursive. False: it has been
 * waiting for so long that the holder must be waiting for it: a constructor in a library that libc loads for
 * itself, with the linker's lock only, may call dlopen. Then there is no order. */
HIDDEN bool loader_lock(struct thread *t);
HIDDEN void loader_unlock(bool locked);

/* What the thread did so far is known to who takes the lock next. */
HIDDEN void loader_release(struct thread *t);
