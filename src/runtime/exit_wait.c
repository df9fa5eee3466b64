#include "runtime/exit_wait.h"

#include <time.h>

#include "base/out.h"
#include "runtime/options.h"
#include "runtime/peek.h"
#include "runtime/report.h"
#include "runtime/secure.h"
#include "runtime/task.h"

enum {
    LOOK_EVERY = 1000000, /* nanoseconds */
    QUIET_LOOKS = 3,      /* in a row */
    MOST_LOOKED_AT = 1024 /* threads: the latest */
};

/* --- one thread --- */

static uint64_t nanoseconds(uint64_t seconds, uint64_t rest)
{
    return seconds < UINT32_MAX ? seconds * UINT64_C(1000000000) + rest : UINT64_MAX;
}

static uint64_t clock_now(long clock)
{
    struct timespec now = {0};
    sys_call3(SYS_clock_gettime, clock, (long)&now, 0);
    return nanoseconds((uint64_t)now.tv_sec, (uint64_t)now.tv_nsec);
}

/* Time that the thread has had on a processor, ever. The clock's number is CPUCLOCK_SCHED of one thread. */
static uint64_t processor_time(int kernel_id)
{
    enum { ONE_THREADS_TIME = 6 };
    return clock_now(~(long)kernel_id * 8 | ONE_THREADS_TIME);
}

static uint64_t number_at(const char **at)
{
    uint64_t number = 0;
    bool hex = (*at)[0] == '0' && (*at)[1] == 'x';
    *at += hex ? 2 : 0;
    for (; **at != ' ' && **at != '\0' && **at != '\n'; ++*at)
        number = number * (hex ? 16 : 10) + (uint64_t)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
    *at += **at == ' ';
    return number;
}

/* The thread may be gone by now, with its stack, where the request lies: peek() then finds 0. */
static uint64_t time_at(uint64_t request)
{
    return request != 0 ? nanoseconds(peek(request), peek(request + 8)) : 0;
}

enum activity {
    RUNS,   /* or is ready to */
    SLEEPS, /* until a time that is at most `limit` nanoseconds away */
    BLOCKED /* or gone, or nothing is known */
};

/* By the thread's file /proc/self/task/ID/syscall: "running", or the number of a system call and its arguments. poll
 * and select without descriptors are sleeps. */
static enum activity activity_of(const char *text, uint64_t limit)
{
    if (text[0] == 'r' || text[0] == '-') /* "running"; or it waits for a page, in no system call */
        return RUNS;
    if (text[0] == '\0')
        return BLOCKED;
    uint64_t call = number_at(&text), argument[5];
    for (size_t i = 0; i < array_length(argument); i++)
        argument[i] = number_at(&text);
    uint64_t time, now = 0;
    if (call == SYS_nanosleep) {
        time = time_at(argument[0]);
    } else if (call == SYS_clock_nanosleep) {
        time = time_at(argument[2]);
        now = argument[1] & TIMER_ABSTIME ? clock_now((long)argument[0]) : 0;
    } else if (call == SYS_poll && argument[1] == 0 && argument[2] <= INT32_MAX) {
        time = argument[2] * 1000000;
    } else if (call == SYS_ppoll && argument[1] == 0 && argument[2] != 0) {
        time = time_at(argument[2]);
    } else if (call == SYS_pselect6 && argument[0] == 0 && argument[4] != 0) {
        time = time_at(argument[4]);
    } else {
        return BLOCKED;
    }
    return time <= now + limit ? SLEEPS : BLOCKED;
}

/* Has the thread run since it was first found asleep? */
static bool has_run(struct thread *t)
{
    uint64_t time = processor_time(t->kernel_id) + 1;
    if (t->slept_at_exit == 0)
        t->slept_at_exit = time;
    return t->slept_at_exit != time;
}

static bool is_busy(struct thread *t, uint64_t limit)
{
    char text[160];
    if (t->kernel_id == 0)
        return true; /* it is about to begin */
    task_read(t->kernel_id, "syscall", text, sizeof text);
    enum activity activity = activity_of(text, limit);
    return activity == RUNS || (activity == SLEEPS && !has_run(t));
}

/* --- all --- */

/* What was a thread stays readable, whatever becomes of it after the look at the list. Fibers of this thread are none
 * of the others. */
static size_t others(struct thread **all, int self)
{
    size_t count = 0;
    spin_lock(&registry.lock);
    for (struct thread *t = registry.running; t != NULL && count < MOST_LOOKED_AT; t = t->next_running)
        if (t->kernel_id != self)
            all[count++] = t;
    spin_unlock(&registry.lock);
    return count;
}

static bool any_busy(struct thread **all, size_t count, uint64_t limit)
{
    bool busy = report_under_way();
    for (size_t i = 0; i < count && !busy; i++)
        busy = is_busy(all[i], limit);
    return busy;
}

static void tell(const char *outcome)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: exit: the other threads ");
    out_text(&out, outcome);
    out_text(&out, "\n");
    out_flush(&out);
}

/* How it ended; NULL: there is nobody to wait for. */
static const char *wait_for_others(int self, uint64_t limit)
{
    static struct thread *all[MOST_LOOKED_AT];
    const struct timespec pause = {.tv_nsec = LOOK_EVERY};
    const uint64_t end = clock_now(CLOCK_MONOTONIC) + limit;
    size_t count = others(all, self);
    if (count == 0)
        return NULL;
    for (unsigned quiet = 0; count > 0; count = others(all, self)) {
        quiet = any_busy(all, count, limit) ? 0 : quiet + 1;
        if (quiet == QUIET_LOOKS)
            return "do not run";
        if (clock_now(CLOCK_MONOTONIC) >= end)
            return "still run (atexit_sleep_ms)";
        sys_call3(SYS_nanosleep, (long)&pause, 0, 0);
    }
    return "have ended";
}

void exit_wait(const struct thread *self)
{
    uint64_t limit = (uint64_t)runtime_options.atexit_sleep_ms * 1000000;
    const char *outcome = limit > 0 && !secure_mode() ? wait_for_others(self->kernel_id, limit) : NULL;
    if (outcome != NULL && runtime_options.verbosity > 0)
        tell(outcome);
}
