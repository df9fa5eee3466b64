/* Jumps out of functions: longjmp and its relatives, and what C++ exceptions and the end of a thread do to
 * its stack. Functions that are left this way do not say so (__tsan_func_exit), or not all of them: gcc and
 * clang emit no clean-up where they take a function to throw nothing, as all of C.
 *
 * What is asked for is only where the stack pointer will be. Each frame of our call stack has its own
 * (runtime/stack.h), so nobody needs to be there when the place to jump to is noted: setjmp is not
 * intercepted, and whichever of its many names it has does not matter.
 *
 *   longjmp              the C library's buffer has the stack pointer, scrambled
 *   C++ exceptions       before a handler or a clean-up runs, the personality routine sets its address:
 *                        _Unwind_SetIP
 *   pthread_exit,        the same for C++. In C, functions that pthread_cleanup_push names run with all
 *   cancellation         frames still there: they are called from where the thread ended
 *
 * Not seen: __builtin_longjmp, and exceptions where the unwinder is linked statically.
 */
#include "runtime/intercept/jump.h"

#include <setjmp.h>

#include "runtime/intercept/alternate.h"
#include "runtime/intercept/real.h"
#include "runtime/stack.h"

/* The program's code runs while its thread is inside the runtime: in the handler of a fault that we have
 * caused, by touching memory that an atomic operation names. It does not come back. What we have locked stays
 * so. */
static void leave_runtime(struct thread *t)
{
    actor_left(&t->actor);
    store_release(&t->working, 0);
    t->inside = 1;
    thread_outside(t);
}

void jump_cut(struct thread *t, uintptr_t sp)
{
    if (unlikely(load_relaxed(&alternate_used)))
        alternate_leave(t, sp);
    stack_cut(t, sp);
    thread_handlers_left(t);
}

static void jump_to(uintptr_t sp)
{
    struct thread *t = thread_self;
    if (t == NULL || sp == 0)
        return;
    if (unlikely(t->inside != 0) && !t->ended)
        leave_runtime(t);
    jump_cut(t, sp);
}

/* --- longjmp --- */

/* Of glibc's buffer, its seventh word: rotated left by 17 bits after it was combined with a secret of the
 * process. 0 where that makes no sense: it is some other library's. */
static uintptr_t saved_sp(const struct __jmp_buf_tag *buffer)
{
    enum { SP = 6 };
    uintptr_t secret, sp = (uintptr_t)buffer->__jmpbuf[SP];
    __asm__("movq %%fs:0x30, %0" : "=r"(secret));
    sp = (sp >> 17 | sp << 47) ^ secret;
    return sp % 8 == 0 && sp >> 47 == 0 ? sp : 0;
}

extern _Noreturn void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value);

#define LONGJMP(function)                                                                                    \
    INTERCEPT _Noreturn void function(struct __jmp_buf_tag buffer[1], int value)                             \
    {                                                                                                        \
        jump_to(saved_sp(buffer));                                                                           \
        REAL(function)(buffer, value);                                                                       \
        __builtin_unreachable();                                                                             \
    }

LONGJMP(longjmp)
LONGJMP(_longjmp)
LONGJMP(siglongjmp)
LONGJMP(__longjmp_chk)

/* --- exceptions ---
 *
 * The context is that of the function with the handler; its "canonical frame address" is what its stack
 * pointer will be. Weak: a program that has the unwinder linked to it statically, and us, keeps its own. */

struct _Unwind_Context;
uintptr_t _Unwind_GetCFA(struct _Unwind_Context *context);
void _Unwind_SetIP(struct _Unwind_Context *context, uintptr_t ip);

INTERCEPT __attribute__((weak)) void _Unwind_SetIP(struct _Unwind_Context *context, uintptr_t ip)
{
    __typeof__(&_Unwind_GetCFA) frame_address = REAL_OR_NULL(_Unwind_GetCFA);
    if (frame_address != NULL)
        jump_to(frame_address(context));
    REAL(_Unwind_SetIP)(context, ip);
}
