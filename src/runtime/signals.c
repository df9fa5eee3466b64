#include "runtime/signals.h"

#include <sys/resource.h>
#include <x86intrin.h>

#include "runtime/intercept/own_code.h"
#include "runtime/secure.h"

enum { TRAP_FLAG = 0x100 };

_Static_assert(sizeof(siginfo_t) == sizeof((struct thread *)0)->put_off.info,
               "a signal and all that comes with it");

/* The kernel's part of the set. */
static uint64_t *mask_of(ucontext_t *context)
{
    return (uint64_t *)(void *)&context->uc_sigmask;
}

static uint64_t set_mask(int how, uint64_t mask)
{
    uint64_t before = 0;
    if (how != SIG_UNBLOCK)
        mask &= ~signals_needed();
    sys_call6(SYS_rt_sigprocmask, how, (long)&mask, (long)&before, sizeof mask, 0, 0);
    return before;
}

uint64_t signals_mask(int how, uint64_t mask)
{
    uint64_t before = set_mask(how, mask);
    struct thread *t = thread_self;
    return t != NULL && t->put_off.waits ? t->put_off.mask : before;
}

void signals_block_only(ucontext_t *context, uint64_t more)
{
    set_mask(SIG_SETMASK, *mask_of(context) | more);
}

/* --- where the thread is --- */

/* About to make a process from registers alone (intercept/fork.c). The child of a vfork() would inherit the trap flag
 * and take the steps, and the signal, for its own: the memory is the same. */
static bool makes_process(const ucontext_t *context)
{
    static const unsigned char syscall_instruction[] = {0x0f, 0x05};
    const greg_t *reg = context->uc_mcontext.gregs;
    return (reg[REG_RAX] == SYS_vfork || reg[REG_RAX] == SYS_clone || reg[REG_RAX] == SYS_clone3) &&
           __builtin_memcmp((const void *)reg[REG_RIP], syscall_instruction, sizeof syscall_instruction) == 0;
}

static bool in_runtime(const struct thread *t, const ucontext_t *context)
{
    if (t->inside != 0 || t->working != 0)
        return true;
    if (t->put_off.open)
        return false;
    return actor_inside(&t->actor) ||
           (is_own_code((uintptr_t)context->uc_mcontext.gregs[REG_RIP]) && !makes_process(context));
}

/* Is there a debugger? /proc/self/status says so in its first lines. */
static bool is_traced(void)
{
    static const char key[] = "\nTracerPid:\t";
    char text[512];
    size_t at = 0;
    long fd = secure_open("/proc/self/status");
    if (fd < 0)
        return false;
    long length = sys_call3(SYS_read, fd, (long)text, sizeof text);
    sys_call3(SYS_close, fd, 0, 0);
    for (long i = 0; i < length; i++) {
        if (key[at] == '\0')
            return text[i] != '0';
        at = text[i] == key[at] ? at + 1 : text[i] == key[0];
    }
    return false;
}

/* --- the order of those that are queued ---
 *
 * What is sent again comes to the end of the kernel's queue, behind others of its number. So it is noted
 * here, and a token is sent in its place. Whatever of that number arrives next stands for the first note: the
 * token is used up, anything else is noted itself, at the end. There are as many tokens on their way as there
 * are notes. */

enum { FIRST_QUEUED = 32 }; /* the kernel's; lower ones come once, however often they are sent */

static siginfo_t *noted(struct thread *t, uint32_t i)
{
    return (siginfo_t *)t->put_off.queue[i];
}

static uint32_t first_note(struct thread *t, int number)
{
    uint32_t i = 0;
    while (i < t->put_off.queued && noted(t, i)->si_signo != number)
        i++;
    return i;
}

static void put_note(struct thread *t, const siginfo_t *info)
{
    *noted(t, t->put_off.queued++) = *info;
}

static siginfo_t take_note(struct thread *t, uint32_t at)
{
    siginfo_t note = *noted(t, at);
    t->put_off.queued--;
    for (uint32_t i = at; i < t->put_off.queued; i++)
        *noted(t, i) = *noted(t, i + 1);
    return note;
}

static siginfo_t token(struct thread *t, int number)
{
    siginfo_t info = {.si_signo = number, .si_code = SI_QUEUE};
    info.si_value.sival_ptr = t->put_off.queue;
    return info;
}

static bool is_token(const struct thread *t, const siginfo_t *info)
{
    return info->si_code == SI_QUEUE && info->si_value.sival_ptr == t->put_off.queue;
}

/* One that is blocked. */
static bool is_pending(int number)
{
    uint64_t pending = 0;
    sys_call3(SYS_rt_sigpending, (long)&pending, sizeof pending, 0);
    return pending & SIGNAL_BIT(number);
}

/* The program may have fetched a token itself (sigwait): then none is on its way, and the notes are of
 * nothing. */
static void drop_notes(struct thread *t, int number)
{
    for (uint32_t at; (at = first_note(t, number)) < t->put_off.queued;)
        take_note(t, at);
}

bool signals_in_order(struct thread *t, siginfo_t *info)
{
    if (t == NULL || likely(t->put_off.queued == 0))
        return true;
    bool again = is_token(t, info);
    if (!again && !is_pending(info->si_signo))
        drop_notes(t, info->si_signo);
    uint32_t first = first_note(t, info->si_signo);
    if (first == t->put_off.queued)
        return !again;
    if (!again && t->put_off.queued == SIGNALS_QUEUED)
        return true;
    siginfo_t now = take_note(t, first);
    if (!again)
        put_note(t, info);
    *info = now;
    return true;
}

/* --- putting off --- */

/* Sends what waits again; it is still blocked. */
static void send_again(struct thread *t)
{
    siginfo_t info = *(siginfo_t *)t->put_off.info, sent = info;
    int number = info.si_signo;
    long process = sys_call3(SYS_getpid, 0, 0, 0), self = sys_call3(SYS_gettid, 0, 0, 0);
    t->put_off.waits = false;
    bool note = number >= FIRST_QUEUED && t->put_off.queued < SIGNALS_QUEUED && !is_token(t, &info);
    if (note)
        sent = token(t, number);
    if (sys_call6(SYS_rt_tgsigqueueinfo, process, self, number, (long)&sent, 0, 0) != 0)
        sys_call3(SYS_tgkill, process, self, number); /* too many are queued */
    else if (note)
        put_note(t, &info);
}

/* Returns with the signal delivered. */
static void deliver_here(struct thread *t)
{
    uint64_t mask = t->put_off.mask;
    send_again(t);
    set_mask(SIG_SETMASK, mask);
}

/* Where a step is dear (some virtual machines take 40 microseconds for one), or signals come all the time, no
 * more than a fifth of the thread's time is for steps. */
static void begin_steps(struct thread *t)
{
    t->put_off.steps = true;
    t->put_off.since = __rdtsc();
}

static void end_steps(struct thread *t)
{
    uint64_t now = __rdtsc();
    t->put_off.steps = false;
    t->put_off.rest_until = now + 4 * (now - t->put_off.since);
}

static void keep_signal(struct thread *t, const siginfo_t *info, ucontext_t *context)
{
    *(siginfo_t *)t->put_off.info = *info;
    t->put_off.process = (int)sys_call3(SYS_getpid, 0, 0, 0);
    t->put_off.mask = *mask_of(context);
    *mask_of(context) = SIGNALS_ASYNCHRONOUS;
    t->put_off.waits = true;
}

/* In our code, with nothing of the shadow in its hands: may the handler run here, since steps are too dear?
 */
static bool may_run_here(const struct thread *t)
{
    if (t->inside != 0 || t->working != 0)
        return false;
    return t->put_off.here || (!actor_inside(&t->actor) && __rdtsc() < t->put_off.rest_until) || is_traced();
}

bool signals_put_off(struct thread *t, siginfo_t *info, ucontext_t *context)
{
    if (t == NULL || t->ended || t->put_off.waits || !in_runtime(t, context) || may_run_here(t))
        return false;
    keep_signal(t, info, context);
    if (t->inside == 0 && t->working == 0) {
        begin_steps(t);
        context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    }
    return true;
}

/* --- the end of the stack --- */

/* The main thread's grows as far as a limit says; others' end at a page that keeps them from what is below.
 */
static bool more_stack(uintptr_t address)
{
    enum { PAGE = 4096, MORE = 1 << 20 };
    struct rlimit limit;
    if (sys_call3(SYS_gettid, 0, 0, 0) != sys_call3(SYS_getpid, 0, 0, 0))
        return sys_call3(SYS_mprotect, (long)(address & -(uintptr_t)PAGE), PAGE, PROT_READ | PROT_WRITE) == 0;
    if (sys_call3(SYS_getrlimit, RLIMIT_STACK, (long)&limit, 0) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return false;
    limit.rlim_cur += MORE;
    return sys_call3(SYS_setrlimit, RLIMIT_STACK, (long)&limit, 0) == 0;
}

bool signals_overflow(struct thread *t, const siginfo_t *info, ucontext_t *context)
{
    enum { NEAR = 1 << 16 };
    uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP], address = (uintptr_t)info->si_addr;
    if (t == NULL || t->ended || t->put_off.waits || (t->inside == 0 && t->working == 0) ||
        address - sp + NEAR >= 2 * NEAR || !more_stack(address))
        return false;
    siginfo_t later = *info;
    later.si_code = SI_TKILL; /* the instruction will not fault again */
    keep_signal(t, &later, context);
    return true;
}

/* --- steps --- */

bool signals_step(struct thread *t, const siginfo_t *info, ucontext_t *context)
{
    if (t == NULL || !t->put_off.steps || info->si_code <= 0) /* not always TRAP_TRACE in virtual machines */
        return false;
    bool deeper = t->inside != 0 || t->working != 0; /* there are places to look on the way out */
    if (!deeper && in_runtime(t, context))
        return true;
    end_steps(t);
    context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    if (!deeper) {
        *mask_of(context) = t->put_off.mask;
        send_again(t);
    }
    return true;
}

/* Beyond the part of the stack that a function without calls may use without saying so. */
static void set_trap_flag(void)
{
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
                     "pushfq\n\t"
                     "orq %0, (%%rsp)\n\t"
                     "popfq\n\t"
                     "leaq 128(%%rsp), %%rsp"
                     :
                     : "i"(TRAP_FLAG)
                     : "memory", "cc");
}

cold_path void signals_due(struct thread *t)
{
    if (t->put_off.steps)
        return;
    if (is_traced()) {
        t->put_off.here = true;
        deliver_here(t);
        t->put_off.here = false;
        return;
    }
    begin_steps(t);
    set_trap_flag();
}

/* --- ends --- */

void signals_thread_ends(struct thread *t)
{
    if (t->put_off.waits)
        deliver_here(t);
}

void signals_forked(struct thread *t)
{
    if (t->put_off.waits && t->put_off.process == (int)sys_call3(SYS_getpid, 0, 0, 0))
        return; /* it has come here */
    t->put_off.queued = 0;
    if (!t->put_off.waits)
        return;
    t->put_off.waits = false;
    set_mask(SIG_SETMASK, t->put_off.mask);
}
