/* Becoming another program: the end of this one, unless it fails. */
#include <stdarg.h>
#include <unistd.h>

#include "runtime/end.h"
#include "runtime/intercept/real.h"

#define BECOMING(call)                                                                                       \
    end_come();                                                                                              \
    int result = call;                                                                                       \
    end_put_off();                                                                                           \
    return result

INTERCEPT int execve(const char *path, char *const argv[], char *const environment[])
{
    BECOMING(REAL(execve)(path, argv, environment));
}

INTERCEPT int execv(const char *path, char *const argv[])
{
    BECOMING(REAL(execv)(path, argv));
}

INTERCEPT int execvp(const char *file, char *const argv[])
{
    BECOMING(REAL(execvp)(file, argv));
}

INTERCEPT int execvpe(const char *file, char *const argv[], char *const environment[])
{
    BECOMING(REAL(execvpe)(file, argv, environment));
}

INTERCEPT int fexecve(int fd, char *const argv[], char *const environment[])
{
    BECOMING(REAL(fexecve)(fd, argv, environment));
}

INTERCEPT int execveat(int fd, const char *path, char *const argv[], char *const environment[], int flags)
{
    BECOMING(REAL(execveat)(fd, path, argv, environment, flags));
}

/* --- arguments one by one --- */

static size_t count_arguments(va_list arguments)
{
    size_t count = 1; /* the first one, which has a name */
    while (va_arg(arguments, char *) != NULL)
        count++;
    return count;
}

/* Makes `argv` of `first` and what follows it, and `rest` of what comes after the NULL. */
#define COLLECT(first)                                                                                       \
    va_list counted, rest;                                                                                   \
    const char *volatile name = first; /* may be NULL, whatever its declaration says */                      \
    va_start(counted, first);                                                                                \
    size_t count = name != NULL ? count_arguments(counted) : 0;                                              \
    va_end(counted);                                                                                         \
    char *argv[count + 1];                                                                                   \
    argv[0] = (char *)name;                                                                                  \
    va_start(rest, first);                                                                                   \
    for (size_t i = 1; i <= count; i++)                                                                      \
    argv[i] = va_arg(rest, char *)

INTERCEPT int execl(const char *path, const char *first, ...)
{
    COLLECT(first);
    va_end(rest);
    BECOMING(REAL(execv)(path, argv));
}

INTERCEPT int execlp(const char *file, const char *first, ...)
{
    COLLECT(first);
    va_end(rest);
    BECOMING(REAL(execvp)(file, argv));
}

INTERCEPT int execle(const char *path, const char *first, ...)
{
    COLLECT(first);
    char *const *environment = va_arg(rest, char *const *);
    va_end(rest);
    BECOMING(REAL(execve)(path, argv, environment));
}
