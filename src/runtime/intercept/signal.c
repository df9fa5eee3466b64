/* Signal handlers. The kernel knows only one, ours: it calls the program's when the thread is not in the
 * runtime (runtime/signals.h). The program sees its own actions as ever.
 *
 * A signal that kills the program comes to us, too, where the program has no handler: a last look
 * (runtime/end.h), then the signal does what it would have done.
 *
 * What else belongs to an action (flags, stack) is in the kernel as the program wants it, except that it
 * resets no handler by itself, and blocks all signals: we do the one and undo the other when the program's is
 * called.
 */
#include "runtime/intercept/signal.h"

#include "runtime/end.h"
#include "runtime/intercept/alternate.h"
#include "runtime/intercept/own_code.h"
#include "runtime/intercept/real.h"
#include "runtime/peek.h"
#include "runtime/signals.h"
#include "runtime/stack.h"

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,  SIGTRAP, SIGABRT,
                            SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSYS};

static bool is_fatal(int number)
{
    for (size_t i = 0; i < array_length(fatal); i++)
        if (fatal[i] == number)
            return true;
    return false;
}

/* --- the program's handlers --- */

/* Of each signal that comes to us: the handler, and some of its flags. One word, so that who reads it gets it
 * whole. Two threads that set the handler of one signal at the same time may leave one's here with the
 * other's mask. */
#define NO_DEFER  (UINT64_C(1) << 60)
#define ON_STACK  (UINT64_C(1) << 61)
#define WITH_INFO (UINT64_C(1) << 62)
#define ONCE      (UINT64_C(1) << 63)
static uint64_t program[_NSIG];
static sigset_t program_mask[_NSIG]; /* what it wants blocked meanwhile */

static void *handler_of(uint64_t action)
{
    return (void *)(uintptr_t)(action & ~(NO_DEFER | ON_STACK | WITH_INFO | ONCE));
}

static uint64_t action_of(const struct sigaction *a)
{
    return (uint64_t)(uintptr_t)a->sa_handler | (a->sa_flags & SA_SIGINFO ? WITH_INFO : 0) |
           (a->sa_flags & (int)SA_RESETHAND ? ONCE : 0) | (a->sa_flags & SA_ONSTACK ? ON_STACK : 0) |
           (a->sa_flags & SA_NODEFER ? NO_DEFER : 0);
}

static bool is_handler(uint64_t action)
{
    return handler_of(action) != SIG_DFL && handler_of(action) != SIG_IGN;
}

/* Where signals order threads (intercept/signal_order.c): one is about to be handled; may come from now on.
 */
__attribute__((weak)) HIDDEN void signal_order_arrived(struct thread *t, int number);
__attribute__((weak)) HIDDEN void signal_order_sent(struct thread *t, int number);

/* --- the end --- */

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

/* The thread's own doing, and nothing to be put off. */
static bool is_fault(int number, const siginfo_t *info)
{
    return info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
                                 number == SIGILL || number == SIGTRAP || number == SIGSYS);
}

/* An instruction that faulted does so again, when the handler returns; anything else is sent again, and
 * arrives then. A thread that faults in the runtime, whose locks it may hold, has no last look. */
static void die(struct thread *t, int number, const siginfo_t *info)
{
    if (t != NULL && t->inside == 0 && t->working == 0) {
        actor_left(&t->actor); /* the quick way that it was on, it will not go to the end */
        end_come();
    }
    set_default(number);
    if (!is_fault(number, info) || number == SIGTRAP || number == SIGSYS)
        sys_call3(SYS_tgkill, sys_call3(SYS_getpid, 0, 0, 0), sys_call3(SYS_gettid, 0, 0, 0), number);
}

/* --- the kernel's handler --- */

static void on_signal(int number, siginfo_t *info, void *context);

/* No other signal comes until it is known what becomes of this one. */
static void install(int number, const struct sigaction *like)
{
    struct sigaction action = *like;
    uint64_t *mask = (void *)&action.sa_mask;
    *mask = (*mask | SIGNALS_ASYNCHRONOUS) & ~signals_needed();
    action.sa_sigaction = on_signal;
    action.sa_flags = (action.sa_flags | SA_SIGINFO) & ~(int)SA_RESETHAND;
    if (signals_needed() & SIGNAL_BIT(number))
        action.sa_flags |= SA_NODEFER;
    REAL(sigaction)(number, &action, NULL);
}

/* With no handler of the program's: to be there before it kills. */
static void install_last(int number)
{
    struct sigaction action = {.sa_flags = SA_ONSTACK};
    __builtin_memset(&action.sa_mask, 0xff, sizeof action.sa_mask);
    install(number, &action);
}

/* The frame of what was interrupted, so that stacks in reports begin there. If the handler has interrupted us
 * after all, a function may be about to push its own: another one further, then, which is left alone but for
 * what a jump out of the handler looks at. */
static void push(struct thread *t, uintptr_t pc)
{
    struct frame *top = t->top, *next = top + 1 + is_own_code(pc);
    uint32_t sp = (uint32_t)(uintptr_t)__builtin_frame_address(0), node = stack_node(t);
    if (next >= t->stack_end)
        return;
    top[1].sp = sp;
    *next = (struct frame){.pc = pc + 1, .sp = sp}; /* places are shown as of calls that return there */
    if (is_own_code(pc))
        *next = (struct frame){.pc = top->pc, .node = node, .sp = sp};
    t->top = next;
}

/* handler(number, info, context), from one place, by whose address a stack tells that it is a handler's. */
HIDDEN void call_handler(int number, siginfo_t *info, void *context,
                         void (*handler)(int, siginfo_t *, void *));
extern HIDDEN const char handler_returns[];
__asm__(".pushsection .text\n\t"
        ".type call_handler, @function\n"
        "call_handler:\n\t"
        ".cfi_startproc\n\t"
        "subq $8, %rsp\n\t"
        ".cfi_adjust_cfa_offset 8\n\t"
        "call *%rcx\n"
        "handler_returns:\n\t"
        "addq $8, %rsp\n\t"
        ".cfi_adjust_cfa_offset -8\n\t"
        "ret\n\t"
        ".cfi_endproc\n\t"
        ".size call_handler, . - call_handler\n\t"
        ".popsection");

bool signal_in_handler(uint32_t node)
{
    return stack_has(node, (uintptr_t)handler_returns);
}

/* One way for both kinds of handler: one that wants to know less does not look at the rest. */
static __attribute__((noinline)) void call(struct thread *t, uint64_t action, int number, siginfo_t *info,
                                           ucontext_t *context)
{
    struct frame *top = NULL;
    uint32_t in_allocator = t != NULL ? thread_allocator_suspend(t) : 0;
    struct interrupted interrupted = {.top = NULL};
    if (t != NULL)
        interrupted = thread_handler_begins(t);
    if (t != NULL && t->inside == 0) {
        if (signal_order_arrived != NULL)
            signal_order_arrived(t, number);
        top = t->top;
        push(t, (uintptr_t)context->uc_mcontext.gregs[REG_RIP]);
    }
    uint64_t more = *(const uint64_t *)(const void *)&program_mask[number];
    signals_block_only(context, more | (action & NO_DEFER ? 0 : SIGNAL_BIT(number)));
    call_handler(number, info, context, handler_of(action));
    if (top != NULL)
        t->top = top;
    if (t != NULL) {
        thread_handler_returns(t, &interrupted);
        thread_allocator_resume(t, in_allocator);
    }
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    struct thread *t = thread_self;
    if (number == SIGSEGV && info->si_code > 0 && arena_lazy && arena_commit((uintptr_t)info->si_addr))
        return;
    if ((number == SIGSEGV || number == SIGBUS) && is_fault(number, info) && peek_failed(context))
        return;
    if ((number == SIGTRAP && signals_step(t, info, context)) ||
        (!is_fault(number, info) && signals_put_off(t, info, context)))
        return;
    uint64_t action = load_acquire(&program[number]);
    if (action & ONCE) {
        store_release(&program[number], 0);
        if (is_fatal(number))
            install_last(number);
        else
            set_default(number);
    }
    if (!signals_in_order(t, info))
        return;
    if (is_handler(action))
        call(t, action, number, info, context);
    else if (handler_of(action) == SIG_DFL && !(number == SIGSEGV && signals_overflow(t, info, context)))
        die(t, number, info);
}

/* --- what the program sees --- */

static bool is_ours(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_signal;
}

/* What the program would find in place of what the kernel has. */
static struct sigaction seen(const struct sigaction *kernel, int number, uint64_t action)
{
    if (!is_ours(kernel))
        return *kernel;
    if (!is_handler(action))
        return (struct sigaction){.sa_handler = (sighandler_t)handler_of(action)};
    struct sigaction its = *kernel;
    its.sa_sigaction = handler_of(action);
    its.sa_mask = program_mask[number];
    if (!(action & WITH_INFO))
        its.sa_flags &= ~SA_SIGINFO;
    its.sa_flags |= (action & ONCE ? (int)SA_RESETHAND : 0) | (action & ON_STACK ? SA_ONSTACK : 0);
    return its;
}

/* The program wants `number` to mean `action`: what the kernel is told. */
static void set(int number, const struct sigaction *action)
{
    uint64_t now = action_of(action);
    if (is_handler(now)) {
        struct sigaction its = *action;
        if (!load_relaxed(&alternate_used))
            its.sa_flags &= ~SA_ONSTACK;
        if (signal_order_sent != NULL && thread_self != NULL && thread_self->inside == 0)
            signal_order_sent(thread_self, number);
        program_mask[number] = action->sa_mask;
        store_release(&program[number], now);
        install(number, &its);
    } else if (number == SIGTRAP || (action->sa_handler == SIG_DFL && is_fatal(number))) {
        store_release(&program[number], now);
        install_last(number);
    } else {
        REAL(sigaction)(number, action, NULL);
        store_release(&program[number], now);
    }
}

static bool is_settable(int number)
{
    return number > 0 && number < _NSIG && number != SIGKILL && number != SIGSTOP && number != 32 &&
           number != 33;
}

/* Actions that are there before us: inherited, or set by who started earlier. SIGTRAP we need for ourselves.
 */
static void take_over(int number)
{
    struct sigaction before;
    if (is_settable(number) && REAL(sigaction)(number, NULL, &before) == 0 && !is_ours(&before) &&
        (is_handler(action_of(&before)) || is_fatal(number)))
        set(number, &before);
}

void signal_init(void)
{
    for (int number = 1; number < _NSIG; number++)
        take_over(number);
}

void signal_init_needed(void)
{
    uint64_t needed = signals_needed();
    take_over(SIGSEGV);
    sys_call6(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&needed, 0, sizeof needed, 0, 0);
}

/* A mask of the program's, as the kernel may have it. */
static const sigset_t *without_needed(int how, const sigset_t *set, sigset_t *room)
{
    if (likely(signals_needed() == 0) || set == NULL || how == SIG_UNBLOCK)
        return set;
    *room = *set;
    *(uint64_t *)(void *)room &= ~signals_needed();
    return room;
}

INTERCEPT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    sigset_t room;
    return REAL(sigprocmask)(how, without_needed(how, set, &room), old);
}

INTERCEPT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    sigset_t room;
    return REAL(pthread_sigmask)(how, without_needed(how, set, &room), old);
}

void signal_use_alternate(void)
{
    for (int number = 1; number < _NSIG; number++) {
        struct sigaction kernel;
        if (load_acquire(&program[number]) & ON_STACK && REAL(sigaction)(number, NULL, &kernel) == 0 &&
            is_ours(&kernel)) {
            kernel.sa_flags |= SA_ONSTACK;
            install(number, &kernel);
        }
    }
}

/* The child of a vfork() has its own actions in the kernel, but not its own memory. */
static bool in_other_process(void)
{
    return end_home() != (int)sys_call3(SYS_getpid, 0, 0, 0);
}

INTERCEPT int sigaction(int number, const struct sigaction *restrict new, struct sigaction *restrict old)
{
    if (!is_settable(number) || in_other_process()) {
        struct sigaction before;
        int result = REAL(sigaction)(number, new, &before);
        if (result == 0 && old != NULL)
            *old = seen(&before, number, program[number]);
        return result;
    }
    struct sigaction kernel, wanted;
    if (new != NULL)
        wanted = *new; /* it may be the same as `old` */
    int result = REAL(sigaction)(number, NULL, &kernel);
    if (result != 0)
        return result;
    if (old != NULL)
        *old = seen(&kernel, number, load_acquire(&program[number]));
    if (new != NULL)
        set(number, &wanted);
    return 0;
}

/* The old functions: each differs in what it does besides. It sets the handler; then we put ourselves in
 * front. */
static sighandler_t replaced(int number, sighandler_t before)
{
    struct sigaction kernel;
    uint64_t action = is_settable(number) ? load_acquire(&program[number]) : 0;
    if (before == SIG_ERR || !is_settable(number) || in_other_process())
        return before;
    if (REAL(sigaction)(number, NULL, &kernel) == 0 && !is_ours(&kernel))
        set(number, &kernel);
    return before == (sighandler_t)(void *)on_signal ? (sighandler_t)handler_of(action) : before;
}

#define SIGNAL(function)                                                                                     \
    INTERCEPT sighandler_t function(int number, sighandler_t handler)                                        \
    {                                                                                                        \
        return replaced(number, REAL(function)(number, handler));                                            \
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
