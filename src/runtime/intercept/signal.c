/* A signal that kills the program comes to a handler of ours first, where the program has none: a last look
 * (runtime/end.h), then the signal does what it would have done. The program does not see the handler: it
 * asks for and sets "the default action" as ever.
 *
 * The handler looks only when the thread that it runs in was not inside the runtime, whose locks it may hold.
 */
#include "runtime/intercept/signal.h"

#include <signal.h>
#include <ucontext.h>

#include "runtime/end.h"
#include "runtime/intercept/own_code.h"
#include "runtime/intercept/real.h"

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT};

static bool is_fatal(int number)
{
    for (size_t i = 0; i < array_length(fatal); i++)
        if (fatal[i] == number)
            return true;
    return false;
}

/* --- the handler --- */

static bool in_runtime(const ucontext_t *context)
{
    const struct thread *t = thread_self;
    return t == NULL || t->inside != 0 || t->actor.owner.busy != 0 ||
           is_own_code((uintptr_t)context->uc_mcontext.gregs[REG_RIP]);
}

static void set_default(int number)
{
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } standard = {.handler = SIG_DFL};
    sys_call6(SYS_rt_sigaction, number, (long)&standard, 0, sizeof standard.mask, 0, 0);
}

/* An instruction that faulted does so again, when the handler returns; anything else is sent again, and
 * arrives then. */
static void on_fatal(int number, siginfo_t *info, void *context)
{
    bool fault =
        info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL);
    if (!in_runtime(context))
        end_come();
    set_default(number);
    if (!fault)
        sys_call3(SYS_tgkill, sys_call3(SYS_getpid, 0, 0, 0), sys_call3(SYS_gettid, 0, 0, 0), number);
}

static const struct sigaction *ours(void)
{
    static struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_fatal;
    __builtin_memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
    return &action;
}

void signal_init(void)
{
    for (size_t i = 0; i < array_length(fatal); i++) {
        struct sigaction before;
        if (REAL(sigaction)(fatal[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL &&
            !(before.sa_flags & SA_SIGINFO))
            REAL(sigaction)(fatal[i], ours(), NULL);
    }
}

/* --- what the program sees --- */

static bool is_ours(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_fatal;
}

INTERCEPT int sigaction(int number, const struct sigaction *restrict new, struct sigaction *restrict old)
{
    struct sigaction before;
    bool to_default = new != NULL &&new->sa_handler == SIG_DFL &&is_fatal(number);
    int result = REAL(sigaction)(number, to_default ? ours() : new, &before);
    if (result == 0 && old != NULL)
        *old = is_ours(&before) ? (struct sigaction){.sa_handler = SIG_DFL} : before;
    return result;
}

/* The old functions: each differs in what it does besides. */
#define SIGNAL(function)                                                                                     \
    INTERCEPT sighandler_t function(int number, sighandler_t handler)                                        \
    {                                                                                                        \
        sighandler_t before = REAL(function)(number, handler);                                               \
        if (before != SIG_ERR && handler == SIG_DFL && is_fatal(number))                                     \
            REAL(sigaction)(number, ours(), NULL);                                                           \
        return before == (sighandler_t)(void *)on_fatal ? SIG_DFL : before;                                  \
    }

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
sighandler_t bsd_signal(int number, sighandler_t handler);
sighandler_t ssignal(int number, sighandler_t handler);
sighandler_t sysv_signal(int number, sighandler_t handler);
sighandler_t __sysv_signal(int number, sighandler_t handler);
sighandler_t sigset(int number, sighandler_t handler);

SIGNAL(signal)
SIGNAL(bsd_signal)
SIGNAL(ssignal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)
SIGNAL(sigset)
