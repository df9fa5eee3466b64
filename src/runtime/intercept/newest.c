/* Functions that libc has in several versions, and that gcc's own runtime exports.
 *
 * A program that gcc linked to its libtsan asks for what that library exports without a version: for what we
 * do not export, the dynamic linker would then take libc's oldest, for programs of twenty years ago. (The old
 * realpath knows no NULL, the old sched_getaffinity has two arguments.) These pass on to the newest. */
#include <glob.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/intercept/real.h"

INTERCEPT int pthread_attr_getaffinity_np(const pthread_attr_t *attributes, size_t size, cpu_set_t *set)
{
    return REAL(pthread_attr_getaffinity_np)(attributes, size, set);
}

INTERCEPT int posix_spawn(pid_t *restrict pid, const char *restrict path,
                          const posix_spawn_file_actions_t *restrict actions,
                          const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
                          char *const environment[restrict])
{
    return REAL(posix_spawn)(pid, path, actions, attributes, argv, environment);
}

INTERCEPT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
    return REAL(posix_spawnp)(pid, file, actions, attributes, argv, environment);
}
