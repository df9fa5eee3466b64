/* Order through the dynamic linker: what a library's constructors did happens before what another thread does
 * with the library once it has opened it as well, or one that needs it, and all that before the destructors, in the thread
 * that closes it last.
 *
 * The dynamic linker has a lock around that, which we do not see. We have one in front of it: dlopen and
 * dlclose hold it from beginning to end, constructors and destructors included, as they hold the linker's. The lock
 * itself orders nothing: threads that open different libraries, or some without instrumented code, have only the linker in
 * common. What an instrumented library's constructors knew hangs on that library.
 */
#pragma once

#include "runtime/intercept/caller.h"

/* Recursive. False: it has been waiting for so long that the holder must be waiting for it: a constructor in a library that
 * libc loads for itself, with the linker's lock only, may call dlopen. Then there is no order. */
HIDDEN bool loader_lock(struct thread *t);
HIDDEN void loader_unlock(bool locked);

/* The lock is held, and the library is about to be closed: its destructors come after all that others did with it until they
 * closed it. */
HIDDEN void loader_closing(struct thread *t, void *handle);

/* A constructor has begun: it comes after those of what its library needs. `code` is the library's. */
HIDDEN void loader_constructs(struct thread *t, uintptr_t code);
