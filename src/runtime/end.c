#include "runtime/end.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/count.h"
#include "base/out.h"
#include "runtime/access.h"
#include "runtime/channel.h"
#include "runtime/exit_wait.h"
#include "runtime/intercept/memory.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/start.h"
#include "runtime/options.h"

int on_exit(void (*function)(int, void *), void *argument);
int __cxa_at_quick_exit(void (*function)(void *), void *library);

/* The program's hook: a last word on whether the run has failed. */
int __tsan_on_finalize(int failed) __attribute__((weak, visibility("default")));

static int home;  /* the process that this memory belongs to; 0: the runtime has not started */
static int began; /* the process in which it started */

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

static int told_run; /* the process that has told `photofinish run` of threads that were not seen */

/* Prints the line once per process. A runtime that was loaded too late has said so at the start (intercept/real.c). */
static void tell_unseen(void)
{
    static int told;
    if (told == home || !thread_any_unseen())
        return;
    told = home;
    if (channel_unseen())
        told_run = home;
    if (real_too_late)
        return;
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: the creation of a thread that ran instrumented code was not seen (it was "
                   "not by pthread_create or thrd_create): races with it may be missing\n");
    out_flush(&out);
}

static void tell_own_allocator(void)
{
    static int told;
    if (told != home && memory_own)
        memory_tell_own();
    told = home;
}

int end_come(void)
{
    if (home != process() || !runtime_instrumented)
        return 0;
    count_print();
    tell_unseen();
    tell_own_allocator();
    return report_finish();
}

/* A clean end that says more than was checked. Only the first process answers for what holds in all of them: a parent may depend on
 * the status of a child that it forked. */
static bool looks_clean(int own_status)
{
    return own_status == 0 && home == process() && runtime_instrumented && runtime_options.exitcode != 0 &&
           (thread_any_unseen() || (home == began && (memory_unseen || memory_own || options_unchecked)));
}

/* What the process ends with instead of its own status; 0: with that. */
static int come_with_log(void)
{
    int status = end_come();
    bool lost = status == 0 && home == process() && runtime_instrumented && options_log_lost();
    return lost ? EXIT_TOOL_FAILED : status;
}

int end_before_exec(const char **hidden)
{
    int status = end_come();
    *hidden = status != 0 ? "the races" : "that not all was checked";
    if (status != 0)
        return channel_parent_knows() ? 0 : status;
    return looks_clean(0) && told_run != home ? EXIT_NOT_CHECKED : 0;
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

static void wait_for_threads(void)
{
    if (home == process() && runtime_instrumented && may_look(thread_self) && !thread_self->ended)
        exit_wait(thread_self);
}

static void at_end(int own_status, void *unused)
{
    (void)unused;
    if (!runtime_instrumented)
        return;
    end_status = own_status;
    wait_for_threads();
    int status = come_with_log();
    if (__tsan_on_finalize != NULL)
        status = !__tsan_on_finalize(status != 0) ? 0 : status != 0 ? status : runtime_options.exitcode;
    if (status == 0 && looks_clean(own_status))
        REAL(exit)(EXIT_NOT_CHECKED);
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
    int status = come_with_log();
    if (status != 0)
        report_exit(status);
    /* A runtime that came too late did not see quick_exit(): the status is not known. */
    if (looks_clean(real_too_late ? 0 : end_status))
        sys_exit_process(EXIT_NOT_CHECKED);
}

int end_exiting(int status)
{
    end_status = status;
    wait_for_threads();
    int instead = come_with_log();
    if (instead != 0)
        report_exit(instead);
    return looks_clean(status) ? EXIT_NOT_CHECKED : status;
}

INTERCEPT _Noreturn void quick_exit(int status)
{
    end_status = status;
    REAL(quick_exit)(status);
    __builtin_unreachable();
}

INTERCEPT _Noreturn void _exit(int status)
{
    sys_exit_process(end_exiting(status));
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
    if (home == 0)
        return;
    home = process();
    count_forked();
    channel_forked();
    report_forked();
    access_forked(thread_self);
    start_forked();
}

void end_watch(void)
{
    static bool watching;
    if (watching)
        return;
    watching = true;
    /* They belong to no library, and so run after the destructors of all: the first that is registered runs last. */
    REAL(on_exit)(at_end, NULL);
    REAL(__cxa_at_quick_exit)(at_quick_end, NULL);
}

void end_begin(void)
{
    began = home = process();
    pthread_atfork(NULL, NULL, end_forked);
}
