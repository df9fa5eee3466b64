/* An order of steps that the detector cannot see: for programs whose interleaving must be the same every time.
 *
 *   thread A: ...; unseen_signal(1);               thread B: unseen_wait(1); ...
 *
 * A step counts how far the program is; unseen_signal(n) makes it n, unseen_wait(n) waits until it is at least n.
 * Loads, stores and the system call are inline assembly in functions that are not instrumented: no access, no
 * synchronization, no libc. On x86-64 what was stored before a signal is seen after its wait all the same.
 */
#pragma once

#define UNSEEN static __attribute__((no_sanitize("thread"), noinline, unused))

static int unseen_step;

UNSEEN void unseen_yield(void)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(24L /* sched_yield */) : "rcx", "r11", "memory");
}

UNSEEN int unseen_now(void)
{
    int step;
    __asm__ volatile("movl %1, %0" : "=r"(step) : "m"(unseen_step) : "memory");
    return step;
}

UNSEEN void unseen_signal(int step)
{
    __asm__ volatile("movl %1, %0" : "=m"(unseen_step) : "r"(step) : "memory");
}

UNSEEN void unseen_wait(int step)
{
    while (unseen_now() < step)
        unseen_yield();
}

/* One more thread has arrived; waits until `count` have, counted from 0. Once per program, without steps. */
UNSEEN void unseen_barrier(int count)
{
    __asm__ volatile("lock incl %0" : "+m"(unseen_step) : : "memory");
    unseen_wait(count);
}
