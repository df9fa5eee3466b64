/* Becoming another program: the end of this one, unless it fails.
 *
 * The exit status will be the new program's, which knows nothing of races in this one. So a process that has reported
 * one ends here, with the status for races, instead of becoming a program that exits with 0. Not where `photofinish run`
 * knows of the race: its own status tells. Not where the new program cannot be started: then this one goes on. Races of
 * a parent do not count, so that children of fork() and vfork() start what they like. A process that had threads
 * which were not seen, and so not checked, ends in the same way.
 *
 * Under `photofinish run` the new program gets the variables that lead back to it, whatever its environment
 * (run_environment.h). */
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "runtime/end.h"
#include "runtime/intercept/real.h"
#include "runtime/options.h"
#include "runtime/report.h"
#include "runtime/run_environment.h"

/* --- can it be started? --- */

static bool is_executable(int directory, const char *path, int flags)
{
    enum { NOT_IMPLEMENTED = -38 }; /* before Linux 5.8 */
    struct stat st;
    if (sys_call6(SYS_newfstatat, directory, (long)path, (long)&st,
                  flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW), 0, 0) != 0 ||
        !S_ISREG(st.st_mode))
        return false;
    long result = sys_call6(SYS_faccessat2, directory, (long)path, X_OK, flags, 0, 0);
    return result == 0 || result == NOT_IMPLEMENTED;
}

/* In a directory of PATH; its end in *rest, NULL after the last one. */
static bool is_in_first(const char *directories, const char *file, const char **rest)
{
    char path[4096];
    size_t length = 0;
    for (; *directories != '\0' && *directories != ':'; directories++)
        if (length < sizeof path / 2)
            path[length++] = *directories;
    *rest = *directories == ':' ? directories + 1 : NULL;
    if (length > 0)
        path[length++] = '/';
    for (; *file != '\0' && length < sizeof path - 1; file++)
        path[length++] = *file;
    path[length] = '\0';
    return is_executable(AT_FDCWD, path, 0);
}

static bool is_found(const char *file)
{
    const char *path = options_environment("PATH");
    for (const char *c = file; *c != '\0'; c++)
        if (*c == '/')
            return is_executable(AT_FDCWD, file, 0);
    for (const char *rest = path != NULL ? path : "/bin:/usr/bin"; rest != NULL;)
        if (is_in_first(rest, file, &rest))
            return true;
    return false;
}

/* --- the end --- */

static cold_path _Noreturn void end_instead(int status, const char *hidden)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: exit status ");
    out_number(&out, (uint64_t)status);
    out_text(&out, " instead of exec: the new program's would hide ");
    out_text(&out, hidden);
    out_text(&out, " (exitcode=0 lets it go on)\n");
    out_flush(&out);
    report_exit(status);
}

#define BECOMING(call, starts)                                                                               \
    const char *hidden;                                                                                      \
    int status = end_before_exec(&hidden);                                                                   \
    if (status != 0 && (starts))                                                                             \
        end_instead(status, hidden);                                                                         \
    int result = call;                                                                                       \
    end_put_off();                                                                                           \
    return result

INTERCEPT int execve(const char *path, char *const argv[], char *const environment[])
{
    COMPLETE_ENVIRONMENT(environment);
    BECOMING(REAL(execve)(path, argv, environment), is_executable(AT_FDCWD, path, 0));
}

INTERCEPT int execv(const char *path, char *const argv[])
{
    char *const *environment = environ;
    COMPLETE_ENVIRONMENT(environment);
    BECOMING(REAL(execve)(path, argv, environment), is_executable(AT_FDCWD, path, 0));
}

INTERCEPT int execvp(const char *file, char *const argv[])
{
    char *const *environment = environ;
    COMPLETE_ENVIRONMENT(environment);
    BECOMING(REAL(execvpe)(file, argv, environment), is_found(file));
}

INTERCEPT int execvpe(const char *file, char *const argv[], char *const environment[])
{
    COMPLETE_ENVIRONMENT(environment);
    BECOMING(REAL(execvpe)(file, argv, environment), is_found(file));
}

INTERCEPT int fexecve(int fd, char *const argv[], char *const environment[])
{
    COMPLETE_ENVIRONMENT(environment);
    BECOMING(REAL(fexecve)(fd, argv, environment), is_executable(fd, "", AT_EMPTY_PATH));
}

INTERCEPT int execveat(int fd, const char *path, char *const argv[], char *const environment[], int flags)
{
    COMPLETE_ENVIRONMENT(environment);
    BECOMING(REAL(execveat)(fd, path, argv, environment, flags), is_executable(fd, path, flags));
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
    char *const *environment = environ;
    COMPLETE_ENVIRONMENT(environment);
    BECOMING(REAL(execve)(path, argv, environment), is_executable(AT_FDCWD, path, 0));
}

INTERCEPT int execlp(const char *file, const char *first, ...)
{
    COLLECT(first);
    va_end(rest);
    char *const *environment = environ;
    COMPLETE_ENVIRONMENT(environment);
    BECOMING(REAL(execvpe)(file, argv, environment), is_found(file));
}

INTERCEPT int execle(const char *path, const char *first, ...)
{
    COLLECT(first);
    char *const *environment = va_arg(rest, char *const *);
    va_end(rest);
    COMPLETE_ENVIRONMENT(environment);
    BECOMING(REAL(execve)(path, argv, environment), is_executable(AT_FDCWD, path, 0));
}

/* --- in a new process: its end is not this one's --- */

INTERCEPT int posix_spawn(pid_t *restrict pid, const char *restrict path,
                          const posix_spawn_file_actions_t *restrict actions,
                          const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
                          char *const environment[restrict])
{
    COMPLETE_ENVIRONMENT(environment);
    return REAL(posix_spawn)(pid, path, actions, attributes, argv, environment);
}

INTERCEPT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
    COMPLETE_ENVIRONMENT(environment);
    return REAL(posix_spawnp)(pid, file, actions, attributes, argv, environment);
}
