/* At exit: threads that nobody has joined get time to reach their next accesses (atexit_sleep_ms).
 *
 * The exit waits as long as another thread can go on by itself, and no longer than the option says:
 *   - it runs, waits for a processor, or is about to begin;
 *   - it has been asleep for a time (nanosleep and its relatives) that ends within the limit, and has not run since
 *     the wait began. So a thread that sleeps, accesses and ends is waited for, and one that sleeps and looks
 *     around for ever is waited for once;
 *   - it is reporting a race.
 * A thread that waits in any other way (for a lock, a condition, input, a signal) goes on only if somebody lets it,
 * and is not waited for.
 *
 * The threads are looked at one after the other, not at one moment: one may wake another that was just found asleep,
 * and go to sleep itself. So the wait ends when nobody is found busy in several looks in a row.
 */
#pragma once

#include "runtime/thread.h"

/* `self`: the thread that exits. */
HIDDEN void exit_wait(const struct thread *self);
