/* Functions that libc has in several versions, and that gcc's own runtime exports.
 *
 * A program that gcc linked to its libtsan asks for what that library exports without a version: for what we
 * do not export, the dynamic linker would then take libc's oldest, for programs of twenty years ago. (The old
 * realpath knows no NULL, the old sched_getaffinity has two arguments.) These pass on to the newest. */
#include <glob.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/intercept/real.h"

INTERCEPT int pthread_attr_getaffinity_np(const pthread_attr_t *attributes, size_t size, cpu_set_t *set)
{
    return REAL(pthread_attr_getaffinity_np)(attributes, size, set);
}
