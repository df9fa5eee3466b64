/* Things that happen once: pthread_once, C11's call_once, and the guards of C++'s static local variables.
 * What the initializer did happens before every return from the call.
 */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <threads.h>

#include "runtime/intercept/caller.h"
#include "runtime/intercept/memory.h"
#include "runtime/past_sync.h"
#include "runtime/signals.h"
#include "runtime/sync.h"

static void done(struct thread *t, const volatile void *control, uintptr_t pc)
{
    t->inside++;
    past_sync_add(t, SYNC_ONCE, HISTORY_RELEASES, (uintptr_t)control, pc);
    sync_publish(t, (uintptr_t)control);
    thread_outside(t);
}

static void seen(struct thread *t, const volatile void *control, uintptr_t pc)
{
    t->inside++;
    sync_acquire(t, (uintptr_t)control);
    past_sync_add(t, SYNC_ONCE, HISTORY_ACQUIRES, (uintptr_t)control, pc);
    thread_outside(t);
}

/* --- pthread_once, call_once --- */

/* The real function runs once_initialize in place of the program's initializer, in the calling thread and
 * before it does anything else of the program: what the thread is about to initialize is still what it noted.
 * An initializer may call once for another control. It may also throw, or be cancelled: then another thread
 * tries again, after all that this one did. */

struct once_attempt {
    const volatile void *control;
    struct once_attempt *outer;
};

HIDDEN void once_attempt(void);
HIDDEN void once_initialize(void);
HIDDEN int once_unwound(int version, int actions);

static void end_attempt(struct thread *t, struct once_attempt *attempt)
{
    t->once.innermost = attempt->outer;
    done(t, attempt->control, 0);
}

__attribute__((used)) void once_attempt(void)
{
    struct thread *t = thread_self;
    struct once_attempt attempt = {t->once.control, t->once.innermost};
    t->once.innermost = &attempt;
    seen(t, attempt.control, 0);
    t->once.initializer();
    end_attempt(t, &attempt);
}

/* What the unwinder asks when an exception leaves once_initialize (the "personality routine", of which we
 * need only the first arguments). Frames further in are over, but nobody has used their memory yet. */
__attribute__((used)) int once_unwound(int version, int actions)
{
    enum { CLEANUP_PHASE = 2, CONTINUE_UNWIND = 8 };
    struct thread *t = thread_self;
    (void)version;
    if (actions & CLEANUP_PHASE)
        end_attempt(t, t->once.innermost);
    return CONTINUE_UNWIND;
}

__asm__(".pushsection .text\n"
        ".hidden once_initialize\n"
        ".globl once_initialize\n"
        ".type once_initialize, @function\n"
        "once_initialize:\n"
        ".cfi_startproc\n"
        ".cfi_personality 0x1b, once_unwound\n" /* 4 bytes, relative */
        "sub $8, %rsp\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call once_attempt\n"
        "add $8, %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size once_initialize, . - once_initialize\n"
        ".popsection\n");

INTERCEPT int pthread_once(pthread_once_t *control, void (*initializer)(void))
{
    struct thread *t = caller();
    if (t == NULL || memory_is_allocator(CALLER_PC))
        return REAL(pthread_once)(control, initializer);
    object_shared(t, control, CALLER_PC);
    t->once.control = control;
    t->once.initializer = initializer;
    int result = REAL(pthread_once)(control, once_initialize);
    if (result == 0)
        seen(t, control, CALLER_PC);
    return result;
}

INTERCEPT void call_once(once_flag *flag, void (*initializer)(void))
{
    struct thread *t = caller();
    if (t == NULL) {
        REAL(call_once)(flag, initializer);
        return;
    }
    object_shared(t, flag, CALLER_PC);
    t->once.control = flag;
    t->once.initializer = initializer;
    REAL(call_once)(flag, once_initialize);
    seen(t, flag, CALLER_PC);
}

/* --- static local variables ---
 *
 * The first byte of a guard says that its variable is initialized; compiled code looks at it with an atomic
 * load before it calls. The rest is the library's. Where the C++ library is linked statically there is
 * nothing behind us to call, so the functions below do it themselves, in the form that libstdc++ gives a
 * guard. */

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

enum { INITIALIZED = 1, PENDING = 1 << 8, WAITED_FOR = 1 << 16 };

static int own_acquire(uint32_t *state)
{
    for (;;) {
        uint32_t was = 0;
        if (cas_acq_rel(state, &was, PENDING))
            return 1;
        if (was & INITIALIZED)
            return 0;
        uint32_t waited_for = was | WAITED_FOR;
        if (was != waited_for && !cas_acq_rel(state, &was, waited_for))
            continue;
        sys_call6(SYS_futex, (long)state, FUTEX_WAIT_PRIVATE, waited_for, 0, 0, 0);
    }
}

static void own_end(uint32_t *state, uint32_t now)
{
    if (exchange_acq_rel(state, now) & WAITED_FOR)
        sys_call3(SYS_futex, (long)state, FUTEX_WAKE_PRIVATE, INT_MAX);
}

INTERCEPT int __cxa_guard_acquire(uint64_t *guard)
{
    struct thread *t = caller();
    __typeof__(&__cxa_guard_acquire) real = REAL_OR_NULL(__cxa_guard_acquire);
    int result;
    if (real != NULL || t == NULL) {
        result = real != NULL ? real(guard) : own_acquire((uint32_t *)guard);
    } else {
        signals_open(t);
        result = own_acquire((uint32_t *)guard);
        signals_close(t);
    }
    if (t != NULL) /* also when it is ours to initialize: another thread may have tried, and given up */
        seen(t, guard, CALLER_PC);
    return result;
}

INTERCEPT void __cxa_guard_release(uint64_t *guard)
{
    struct thread *t = caller();
    if (t != NULL)
        done(t, guard, CALLER_PC);
    __typeof__(&__cxa_guard_release) real = REAL_OR_NULL(__cxa_guard_release);
    if (real != NULL)
        real(guard);
    else
        own_end((uint32_t *)guard, INITIALIZED);
}

INTERCEPT void __cxa_guard_abort(uint64_t *guard)
{
    struct thread *t = caller();
    if (t != NULL)
        done(t, guard, CALLER_PC);
    __typeof__(&__cxa_guard_abort) real = REAL_OR_NULL(__cxa_guard_abort);
    if (real != NULL)
        real(guard);
    else
        own_end((uint32_t *)guard, 0);
}
