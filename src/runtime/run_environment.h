/* Puts the variables of `photofinish run` back into an environment that lacks them (env -i, execve with one of its own):
 * without them a process that is started with it would not be checked, or not be counted.
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
    size_t room;  /* pointers that the completed one takes; 0: it stays as it is */
    struct run_missing {
        bool is_missing;
        size_t at;        /* of a list that lacks our part; `count`: all is missing */
        const char *list; /* the program's, which goes behind our part */
        size_t length;    /* of it */
    } missing[RUN_VARIABLES];
};

/* At the start: remembers the variables of `photofinish run`, whatever becomes of the process's own environment. */
HIDDEN void run_environment_keep(void);

HIDDEN struct run_environment run_environment_plan(char *const *environment);
/* Makes the completed one in `room`. Returns it, or `environment` if that stays as it is. */
HIDDEN char *const *run_environment_complete(const struct run_environment *plan, char *const *environment,
                                             char **room);

/* Makes `environment` the completed one, until the function that uses this returns. */
#define COMPLETE_ENVIRONMENT(environment)                                                                    \
    struct run_environment plan_ = run_environment_plan(environment);                                        \
    char *room_[plan_.room + 1];                                                                             \
    environment = run_environment_complete(&plan_, environment, room_)

/* For functions that start a shell with the process's own environment (system, popen): completes that one. Not after vfork,
 * nor in a signal handler: it allocates memory. */
HIDDEN void run_environment_restore(void);
