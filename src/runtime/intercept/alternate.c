/* Stacks for signal handlers. A thread that has used up its stack can have its last look (runtime/end.h) only
 * on another one: each has one of ours, unless the program sets its own. The program does not see it.
 *
 * A handler that the program wants to run on such a stack runs on the thread's own where there is none. So
 * the kernel is told of that wish only when the program sets a stack in some thread (intercept/signal.c).
 * From then on such handlers run on ours in the other threads: it is as large as these stacks usually are. */
#include "runtime/intercept/alternate.h"

#include <signal.h>

#include "runtime/intercept/real.h"
#include "runtime/intercept/signal.h"
#include "runtime/stack.h"

enum { SIZE = 64 << 10 };

bool alternate_used;

static stack_t present(void)
{
    stack_t now = {.ss_flags = SS_DISABLE};
    sys_call3(SYS_sigaltstack, 0, (long)&now, 0);
    return now;
}

static bool is_ours(const struct thread *t, const stack_t *stack)
{
    return !(stack->ss_flags & SS_DISABLE) && stack->ss_sp == t->alternate;
}

static struct thread *whose(void)
{
    struct thread *t = thread_self;
    return t != NULL && t->home != NULL ? t->home : t;
}

void alternate_begin(struct thread *t)
{
    stack_t ours = {.ss_sp = t->alternate, .ss_size = SIZE};
    if (!(present().ss_flags & SS_DISABLE))
        return;
    if (ours.ss_sp == NULL)
        ours.ss_sp = t->alternate = sys_map(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_NORESERVE);
    if (ours.ss_sp != NULL)
        sys_call3(SYS_sigaltstack, (long)&ours, 0, 0);
}

void alternate_leave(struct thread *t, uintptr_t to)
{
    stack_t now = present();
    uintptr_t stack = (uintptr_t)now.ss_sp;
    if (now.ss_flags & SS_ONSTACK && to - stack >= now.ss_size)
        stack_cut_other(t, stack, now.ss_size);
}

INTERCEPT int sigaltstack(const stack_t *restrict new, stack_t *restrict old)
{
    struct thread *t = whose();
    if (t == NULL)
        return REAL(sigaltstack)(new, old);
    stack_t before = present(), wanted = {0};
    if (new != NULL)
        wanted = *new; /* it may be the same as `old` */
    int result = new != NULL ? REAL(sigaltstack)(new, NULL) : 0;
    if (result == 0 && old != NULL)
        *old = is_ours(t, &before) ? (stack_t){.ss_flags = SS_DISABLE} : before;
    if (result != 0 || new == NULL)
        return result;
    if (wanted.ss_flags & SS_DISABLE) {
        alternate_begin(t);
    } else if (!load_relaxed(&alternate_used)) {
        store_relaxed(&alternate_used, true);
        signal_use_alternate();
    }
    return 0;
}
