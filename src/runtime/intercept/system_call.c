/* System calls that a program makes by number: what becomes another program or ends this one is as if it were by name. A
 * descriptor that is closed is one of which nothing is known any more. The others are passed on; calls that make a process do
 * not come here (fork.c). */
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/completeness.h"
#include "runtime/intercept/fd.h"

#define ARGUMENTS long a, long b, long c, long d, long e, long f

static void closing(unsigned first, unsigned last)
{
    struct thread *t = caller();
    if (t != NULL)
        fd_closing_bare(t, first, last);
}

/* Of those that do not only pass on. False: this is none of them. */
static bool replaced(long number, long a, long b, long c, long d, long e, long *result)
{
    switch (number) {
    case SYS_execve:
        *result = execve((const char *)a, (char *const *)b, (char *const *)c);
        return true;
    case SYS_execveat:
        *result = execveat((int)a, (const char *)b, (char *const *)c, (char *const *)d, (int)e);
        return true;
    case SYS_exit_group:
        _exit((int)a);
    }
    return false;
}

typedef long system_call_function(long number, ARGUMENTS);
HIDDEN system_call_function system_call_passed;
long system_call_passed(long number, ARGUMENTS)
{
    REAL_ENTRY(syscall);
    long result;
    if (replaced(number, a, b, c, d, e, &result))
        return result;
    switch (number) {
    case SYS_close:
        closing((unsigned)a, (unsigned)a);
        break;
    case SYS_close_range:
        if (!(c & CLOSE_RANGE_CLOEXEC))
            closing((unsigned)a, (unsigned)b);
        break;
#define X(name)                                                                                              \
    case SYS_##name:                                                                                         \
        unmodelled_note(UNMODELLED_##name, CALLER_PC);                                                       \
        break;
        UNMODELLED_SYSTEM_CALLS(X)
#undef X
    }
    return ((system_call_function *)(real_find(&entry_) ? entry_.address : real_find_slow(&entry_)))(
        number, a, b, c, d, e, f);
}
