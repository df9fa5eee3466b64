/* Putting off the program's signal handlers until their thread has left the runtime.
 *
 * A handler may come at any instruction, also in the middle of ours: inside the gate of the shadow, a
 * lock held, a frame half pushed. What it does then could not be checked, and what it locks and posts would
 * be lost. So, unless the thread itself has caused the signal by an instruction that cannot go on, the
 * handler waits:
 *
 *   a signal arrives     the kernel calls a handler of ours (intercept/signal.c). The thread is in the
 *                        program: the program's is called. In the runtime: the signal is noted, all
 *                        others are blocked, and we return
 *   inside > 0           thread_outside() looks whether a signal waits, and has the thread go on step by
 *                        step
 *   inside = 0, but in   step by step at once: the quick ways have no place to look. The processor's
 *   our code             trap flag is set, and the kernel calls us again after each instruction
 *   the first            signals are no longer blocked, and the one that waited is sent again. So the
 *   instruction of       program's handler sees a context of the program, and masks, flags and stacks
 *   other code           are the kernel's business
 *
 * All this is paid by who gets a signal: about a microsecond for each step, 5 to 100 of them. Nobody else
 * pays anything but the look in thread_outside, which is only on slow ways.
 *
 * A function of ours that waits for other threads of the program (a barrier) does so between signals_open and
 * signals_close: there handlers run at once, as they do in the kernel's.
 *
 * Under a debugger, which would take the steps for its own, a handler that comes in our code runs at once
 * unless `inside` says otherwise: as safe, but the places of a few accesses may be wrong in later reports.
 */
#pragma once

#include <signal.h>
#include <ucontext.h>

#include "base/arena.h"
#include "runtime/thread.h"

/* In the handler. True: the program's handler is to be called later, and ours returns. */
HIDDEN bool signals_put_off(struct thread *t, siginfo_t *info, ucontext_t *context);

/* In the handler, which is about to call the program's: signals of one number that are queued arrive in the
 * order in which they were sent, also after one was put off. *info becomes that of the one whose turn it is;
 * false: there is none. */
HIDDEN bool signals_in_order(struct thread *t, siginfo_t *info);

/* SIGSEGV that kills. True: the thread has used up its stack inside the runtime, gets a little more to come
 * out of it, and the signal then. */
HIDDEN bool signals_overflow(struct thread *t, const siginfo_t *info, ucontext_t *context);

/* SIGTRAP. True: it was one of our steps. */
HIDDEN bool signals_step(struct thread *t, const siginfo_t *info, ucontext_t *context);

/* The thread ends, or is the only one in the child of a fork: in the first case what waits arrives after all,
 * in the second it is the parent's, unless it has come to the child already. */
HIDDEN void signals_thread_ends(struct thread *t);
HIDDEN void signals_forked(struct thread *t);

/* In the handler, where all are blocked: these are, and what was where the signal came. */
HIDDEN void signals_block_only(ucontext_t *context, uint64_t more);

/* Was this stack (runtime/stack.h) that of a handler, or of what one called? Answered by who calls them, if anybody
 * does. */
HIDDEN bool signal_in_handler(uint32_t node) __attribute__((weak));

/* Changes the mask of the calling thread; returns what it was before, for the program. */
HIDDEN uint64_t signals_mask(int how, uint64_t mask);
#define SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))

/* All but what an instruction of the thread itself causes, and what the C library uses between threads. */
#define SIGNALS_ASYNCHRONOUS                                                                                 \
    (~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGILL) |                  \
       SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSYS) | SIGNAL_BIT(32) | SIGNAL_BIT(33)))

/* Those that are never blocked: faults, where memory of ours is only reserved (base/arena.h). */
hot_inline uint64_t signals_needed(void)
{
    return unlikely(arena_lazy) ? SIGNAL_BIT(SIGSEGV) : 0;
}

hot_inline void signals_open(struct thread *t)
{
    store_relaxed(&t->put_off.open, true);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

hot_inline void signals_close(struct thread *t)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    store_relaxed(&t->put_off.open, false);
}
