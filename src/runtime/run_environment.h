/* What `photofinish run` has put into the environment, for processes that a program starts with an environment that
 * lacks it (env -i, execve with one of its own): without it, what such a process does would not be checked, or not be
 * counted.
 *
 * The callers are the interceptors of functions that start programs. They may be called between vfork and exec, and in
 * signal handlers: no lock is taken, and all memory is the caller's stack. Programs with rights that their caller
 * lacks pass nothing on (secure.h). */
#pragma once

#include <stddef.h>

#include "runtime/thread.h"

enum { RUN_VARIABLES = 6 };

/* What one environment lacks. */
struct run_environment {
    size_t count; /* variables in it */
    size_t room; /* for the completed one, in pointers; 0: nothing is missing, or the kernel will refuse it */
    struct run_missing {
        bool is_missing;
        size_t at;        /* of a list that lacks our part; `count`: all is missing */
        const char *list; /* what goes behind our part */
        size_t length;
    } missing[RUN_VARIABLES];
};

/* At the start: remembers what `photofinish run` has said, whatever becomes of the process's own environment. */
HIDDEN void run_environment_keep(void);

HIDDEN struct run_environment run_environment_plan(char *const *environment);
HIDDEN char *const *run_environment_complete(const struct run_environment *plan, char *const *environment,
                                             char **room);

/* Makes `environment` the completed one, for as long as the function that this stands in has not returned. */
#define COMPLETE_ENVIRONMENT(environment)                                                                    \
    struct run_environment plan_ = run_environment_plan(environment);                                        \
    char *room_[plan_.room + 1];                                                                             \
    if (plan_.room > 0)                                                                                      \
    environment = run_environment_complete(&plan_, environment, room_)

/* For functions that start a shell with the process's own environment (system, popen): puts back into that what it
 * lacks. Not after vfork, nor in a signal handler: it has memory allocated. */
HIDDEN void run_environment_restore(void);
