#include "runtime/end.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/count.h"
#include "runtime/access.h"
#include "runtime/channel.h"
#include "runtime/exit_wait.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/start.h"
#include "runtime/options.h"

int on_exit(void (*function)(int, void *), void *argument);
int __cxa_at_quick_exit(void (*function)(void *), void *library);

/* The program's hook: a last word on whether the run has failed. */
int __tsan_on_finalize(int failed) __attribute__((weak, visibility("default")));

static int home; /* the process that this memory belongs to; 0: the runtime has not started */

int end_home(void)
{
    return home;
}

static int process(void)
{
    return (int)sys_call3(SYS_getpid, 0, 0, 0);
}

/* May the calling thread look at the shadow? Not from a signal handler that has interrupted the runtime. A
 * thread that has ended, and exits as the last one, may. */
static bool may_look(const struct thread *t)
{
    return t != NULL && (t->inside == 0 || !t->running);
}

int end_come(void)
{
    struct thread *t = thread_self;
    if (home != process())
        return 0;
    if (may_look(t))
        access_flush_others(t);
    count_print();
    return report_finish();
}

void end_put_off(void)
{
    if (home == process())
        report_go_on();
}

int end_status = -1;
void (*end_callback)(void);

void end_call_back(void)
{
    void (*callback)(void) = exchange_acq_rel(&end_callback, NULL);
    if (callback != NULL)
        callback();
}

/* --- exit, quick_exit, _exit --- */

static void at_end(int own_status, void *unused)
{
    (void)unused;
    end_status = own_status;
    if (home == process() && may_look(thread_self))
        exit_wait(thread_self);
    int status = end_come();
    if (__tsan_on_finalize != NULL)
        status = !__tsan_on_finalize(status != 0) ? 0 : status != 0 ? status : runtime_options.exitcode;
    if (status == 0)
        return;
    if (runtime_options.abort_on_error)
        report_exit(status);
    end_call_back();
    REAL(exit)(status); /* goes on where the exit() that called us was: flushes, and ends */
}

static void at_quick_end(void *unused)
{
    (void)unused;
    int status = end_come();
    if (status != 0)
        report_exit(status);
}

INTERCEPT _Noreturn void _exit(int status)
{
    end_status = status;
    int instead = end_come();
    if (instead != 0)
        report_exit(instead);
    sys_exit_process(status);
}

INTERCEPT _Noreturn void _Exit(int status)
{
    _exit(status);
}

/* What it does to the program is decided by the signal that it sends; a handler of the program's may have it
 * go on. */
INTERCEPT _Noreturn void abort(void)
{
    end_come();
    end_put_off();
    REAL(abort)();
    __builtin_unreachable();
}

/* --- start --- */

void end_forked(void)
{
    home = process();
    count_forked();
    channel_forked();
    report_forked();
    access_forked(thread_self);
    start_forked();
}

void end_init(void)
{
    home = process();
    /* Of no library, so that they run after all others' destructors: who comes first goes last. */
    REAL(on_exit)(at_end, NULL);
    REAL(__cxa_at_quick_exit)(at_quick_end, NULL);
    pthread_atfork(NULL, NULL, end_forked);
}
