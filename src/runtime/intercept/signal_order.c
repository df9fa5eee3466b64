#include "runtime/intercept/signal_order.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/intercept/io.h"
#include "runtime/intercept/steps.h"

static uint32_t signal_peg(int number)
{
    return number > 0 && number < _NSIG ? peg(PEG_SINGLE, PEG_SIGNAL + (unsigned)number) : 0;
}

void signal_order_arrived(struct thread *t, int number)
{
    if (t == NULL || t->inside != 0)
        return;
    peg_acquire(t, signal_peg(number));
    peg_acquire(t, peg(PEG_SINGLE, PEG_TIMERS));
}

void signal_order_sent(struct thread *t, int number)
{
    peg_release(t, signal_peg(number));
    peg_release(t, peg(PEG_SINGLE, PEG_ANY_SIGNAL)); /* for signalfd() */
}

/* --- sending --- */

/* Another process has no order with us. */
void signal_order_sending(struct thread *t, pid_t to, int number)
{
    if (number != 0 && (to <= 0 || to == (pid_t)sys_call3(SYS_getpid, 0, 0, 0)))
        signal_order_sent(t, number);
}

INTERCEPT int kill(pid_t process, int number)
{
    IO(signal_order_sending(t, process, number), REAL(kill)(process, number), NOTHING);
}

INTERCEPT int killpg(pid_t group, int number)
{
    IO(signal_order_sending(t, -1, number), REAL(killpg)(group, number), NOTHING);
}

INTERCEPT int raise(int number)
{
    IO(signal_order_sending(t, -1, number), REAL(raise)(number), NOTHING);
}

INTERCEPT int tgkill(pid_t process, pid_t thread, int number)
{
    IO(signal_order_sending(t, process, number), REAL(tgkill)(process, thread, number), NOTHING);
}

INTERCEPT int pthread_kill(pthread_t thread, int number)
{
    IO(signal_order_sending(t, -1, number), REAL(pthread_kill)(thread, number), NOTHING);
}

INTERCEPT int sigqueue(pid_t process, int number, const union sigval value)
{
    IO(signal_order_sending(t, process, number), REAL(sigqueue)(process, number, value), NOTHING);
}

INTERCEPT int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
    IO(signal_order_sending(t, -1, number), REAL(pthread_sigqueue)(thread, number, value), NOTHING);
}

/* --- waiting --- */

INTERCEPT int sigwait(const sigset_t *restrict set, int *restrict number)
{
    IO(
        io_reads(set, _NSIG / 8, pc), REAL(sigwait)(set, number), if (result == 0) {
            signal_order_arrived(t, *number);
            io_writes(number, sizeof *number, pc);
        });
}

#define WAITED(call)                                                                                         \
    IO(                                                                                                      \
        io_reads(set, _NSIG / 8, pc), call, if (result > 0) {                                                \
            signal_order_arrived(t, result);                                                                 \
            if (info != NULL)                                                                                \
                io_writes(info, sizeof *info, pc);                                                           \
        })

INTERCEPT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    WAITED(REAL(sigwaitinfo)(set, info));
}

INTERCEPT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                           const struct timespec *restrict wait)
{
    WAITED(REAL(sigtimedwait)(set, info, wait));
}

/* --- timers ---
 *
 * Which signal a timer of timer_create() sends is not kept: all of those are one thing (timer_settime: notice.c). */

void signal_order_timer_set(struct thread *t)
{
    peg_release(t, peg(PEG_SINGLE, PEG_TIMERS));
    peg_release(t, peg(PEG_SINGLE, PEG_ANY_SIGNAL));
}

INTERCEPT unsigned alarm(unsigned seconds)
{
    IO(signal_order_sent(t, SIGALRM), REAL(alarm)(seconds), NOTHING);
}

INTERCEPT useconds_t ualarm(useconds_t first, useconds_t then)
{
    IO(signal_order_sent(t, SIGALRM), REAL(ualarm)(first, then), NOTHING);
}

INTERCEPT int setitimer(__itimer_which_t which, const struct itimerval *restrict new,
                        struct itimerval *restrict old)
{
    IO(
        {
            if (new != NULL)
                io_reads(new, sizeof *new, pc);
            signal_order_sent(t, which == ITIMER_REAL      ? SIGALRM
                                 : which == ITIMER_VIRTUAL ? SIGVTALRM
                                                           : SIGPROF);
        },
        REAL(setitimer)(which, new, old), if (result == 0 && old != NULL) io_writes(old, sizeof *old, pc));
}
