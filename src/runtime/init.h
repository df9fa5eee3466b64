#pragma once

#include "runtime/thread.h"

/* Idempotent; before the first access of the program. Ends the process with one line where it cannot start. */
HIDDEN void runtime_start(void);

/* The runtime sleeps in a process without instrumented code until that process is about to create its first thread.
 *
 * `photofinish run` has the library loaded first in every process of the program, and most of them (shells, compilers)
 * have no use for it. Asleep, it maps no memory and handles no signals, and interceptors pass straight through
 * (caller()). A single thread races with nothing, and nothing that it did before needs to be known. From its second
 * thread on a process is watched even if it is not instrumented: it may load a library that is. */
HIDDEN bool runtime_awake(void);
/* Before the first thread is created. Where the runtime cannot start it stays asleep: the process may need none. */
HIDDEN void runtime_wake(void);

/* Instrumented code has been loaded; before that there is nothing to report, and nobody to report to. */
extern HIDDEN bool runtime_instrumented;

/* The generic host's (runtime/thread.h): a module that was compiled for us has been loaded. */
__attribute__((weak)) HIDDEN void host_loaded(void);
