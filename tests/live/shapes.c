/* Races of shapes that are recognised, and some that only look like them. The argument says which; an order
 * that the detector does not see makes `first` run before `second`. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../programs/unseen.h"

#define NOINLINE __attribute__((noinline))
#define INLINE   __attribute__((always_inline))

static int count;
int slots[8]; /* seen from outside: gcc leaves out writes of what is never read */
static _Thread_local int filled;
int stop; /* seen from outside, so that it stays no byte, whose check may wait until the other thread has ended */
static int *instance;
static int data;
static atomic_int ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

UNSEEN int unseen_three(void)
{
    return 3;
}

NOINLINE static void increments(void)
{
    count++;
}

NOINLINE static void sets(void)
{
    count = 1;
}

/* What the line updates is another variable. */
NOINLINE static void fills(void)
{
    int at = unseen_three();
    slots[at++] = 1;
    filled = at;
}

NOINLINE static void increments_locked(void)
{
    pthread_mutex_lock(&m);
    increments();
    pthread_mutex_unlock(&m);
}

static pthread_mutex_t others = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;

NOINLINE static void increments_doubly_locked(void)
{
    pthread_mutex_lock(&others);
    increments_locked();
    pthread_mutex_unlock(&others);
}

NOINLINE static void reads_locked_for_reading(void)
{
    pthread_rwlock_rdlock(&shared);
    int seen = count;
    __asm__ volatile("" : : "r"(seen)); /* it is needed */
    pthread_rwlock_unlock(&shared);
}

NOINLINE static void sets_atomically(void)
{
    __atomic_store_n(&count, 1, __ATOMIC_RELAXED);
}

/* A second look under the lock. */
NOINLINE static int *checks_twice(void)
{
    if (instance == NULL) {
        pthread_mutex_lock(&m);
        if (instance == NULL)
            instance = &data;
        pthread_mutex_unlock(&m);
    }
    return instance;
}

/* The same, as part of whoever calls it. */
static inline INLINE int *checks_twice_inlined(void)
{
    if (instance == NULL) {
        pthread_mutex_lock(&m);
        if (instance == NULL)
            instance = &data;
        pthread_mutex_unlock(&m);
    }
    return instance;
}

static inline INLINE void gets_inlined_once(void)
{
    checks_twice_inlined();
}

NOINLINE static void gets_inlined(void)
{
    gets_inlined_once();
}

static void gets(void)
{
    checks_twice();
}

static void makes(void)
{
    pthread_mutex_lock(&m);
    instance = &data;
    pthread_mutex_unlock(&m);
}

static void looks(void)
{
    if (instance == NULL)
        abort();
}

NOINLINE static void writes_locked(void)
{
    pthread_mutex_lock(&m);
    data = 1;
    pthread_mutex_unlock(&m);
}

NOINLINE static void uses_after_unlock(void)
{
    pthread_mutex_lock(&m);
    int *p = &data;
    pthread_mutex_unlock(&m);
    unseen_signal(2);
    unseen_wait(3);
    *p = 2;
}

static inline INLINE void uses_after_unlock_inlined_once(void)
{
    pthread_mutex_lock(&m);
    int *p = &data;
    pthread_mutex_unlock(&m);
    unseen_signal(2);
    unseen_wait(3);
    *p = 2;
}

NOINLINE static void uses_after_unlock_inlined(void)
{
    uses_after_unlock_inlined_once();
}

/* Another call of the function, which is inlined, too. */
static inline INLINE void locks_or_uses(int *p)
{
    if (p == NULL) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        return;
    }
    unseen_signal(2);
    unseen_wait(3);
    *p = 2;
}

NOINLINE static void uses_in_another_call(void)
{
    locks_or_uses(NULL);
    locks_or_uses(&data);
}

NOINLINE static void only_locks(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}

NOINLINE static void uses_elsewhere(void)
{
    only_locks();
    unseen_signal(2);
    unseen_wait(3);
    data = 2;
}

static void between(void)
{
    unseen_wait(2);
    writes_locked();
    unseen_signal(3);
}

static void publishes(void)
{
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
}

static void publishes_well(void)
{
    unseen_wait(2);
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    unseen_signal(3);
}

static void consumes(void)
{
    if (atomic_load_explicit(&ready, memory_order_acquire) == 1)
        data = 2;
}

static void reads_too_early(void)
{
    int seen = atomic_load_explicit(&ready, memory_order_acquire);
    unseen_signal(2);
    unseen_wait(3);
    data = 2 + seen;
}

static void stops(void)
{
    stop = true;
}

static void waits_for_stop(void)
{
    while (!stop)
        unseen_yield();
}

static void asks_for_stop(void)
{
    if (!stop)
        abort();
}

static int kernel_id;

static void writes_and_ends(void)
{
    data = 1;
    int id = gettid();
    __asm__ volatile("movl %1, %0" : "=m"(kernel_id) : "r"(id) : "memory");
}

static void detached_writes_and_ends(void)
{
    pthread_detach(pthread_self());
    writes_and_ends();
}

static void wait_for_end(void)
{
    int id;
    __asm__ volatile("movl %1, %0" : "=r"(id) : "m"(kernel_id) : "memory");
    while (syscall(SYS_tgkill, getpid(), id, 0) == 0)
        unseen_yield();
}

static void outlives(void)
{
    wait_for_end();
    data = 2;
}

static void locks_and_ends(void)
{
    pthread_mutex_lock(&m);
    writes_and_ends();
    pthread_mutex_unlock(&m);
}

static void locks_another(void)
{
    wait_for_end();
    pthread_mutex_lock(&others);
    data = 2;
    pthread_mutex_unlock(&others);
}

static void locks_for_reading_and_ends(void)
{
    pthread_rwlock_rdlock(&shared);
    writes_and_ends();
    pthread_rwlock_unlock(&shared);
}

static void locks_for_reading(void)
{
    wait_for_end();
    pthread_rwlock_rdlock(&shared);
    data = 2;
    pthread_rwlock_unlock(&shared);
}

static int *of_first; /* not seen, but for what it points to */

static void makes_block_and_ends(void)
{
    int *block = malloc(sizeof *block);
    *block = 1;
    __asm__ volatile("movq %1, %0" : "=m"(of_first) : "r"(block) : "memory");
    writes_and_ends();
}

static void uses_block(void)
{
    int *block;
    wait_for_end();
    __asm__ volatile("movq %1, %0" : "=r"(block) : "m"(of_first) : "memory");
    *block = 2;
}

static void writes(void)
{
    data = 1;
}

static void writes_too(void)
{
    data = 2;
}

NOINLINE static void on_signal(int number)
{
    data = number;
}

static void is_interrupted(void)
{
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
}

/* Not by a signal. */
static void calls_handler(void)
{
    on_signal(SIGUSR1);
}

static sigjmp_buf back;

static void jumps_back(int number)
{
    siglongjmp(back, number);
}

/* No longer in the handler. */
static void was_interrupted(void)
{
    signal(SIGUSR1, jumps_back);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGUSR1);
    on_signal(1);
}

static void makes_block(void)
{
    int *block = malloc(4 * sizeof *block);
    block[0] = 1;
    instance = block;
}

static void points_to_global(void)
{
    instance = &data;
}

static int *of_main;

static void points_to_block_of_main(void)
{
    instance = of_main;
}

static void frees_and_ends(void)
{
    free(of_main);
    int id = gettid();
    __asm__ volatile("movl %1, %0" : "=m"(kernel_id) : "r"(id) : "memory");
}

static void uses_freed(void)
{
    wait_for_end();
    *of_main = 2;
}

static const struct {
    const char *name;
    void (*first)(void), (*second)(void);
    enum {
        ONE_BY_ONE,
        TOGETHER,
        ENDS
    } order; /* together: they see to it themselves; the first thread ends before */
} shapes[] = {
    {"counter", increments, increments, ONE_BY_ONE},
    {"no-counter", sets, sets, ONE_BY_ONE},
    {"element", fills, fills, ONE_BY_ONE},
    {"half-locked", increments_locked, increments, ONE_BY_ONE},
    {"half-locked-later", increments, increments_locked, ONE_BY_ONE},
    {"half-locked-for-reading", reads_locked_for_reading, sets, ONE_BY_ONE},
    {"doubly-locked", increments_doubly_locked, increments, ONE_BY_ONE},
    {"half-locked-atomic", increments_locked, sets_atomically, ONE_BY_ONE},
    {"checked", gets, gets, ONE_BY_ONE},
    {"checked-inlined", gets_inlined, gets_inlined, ONE_BY_ONE},
    {"no-checked", makes, looks, ONE_BY_ONE},
    {"unlocked", between, uses_after_unlock, TOGETHER},
    {"unlocked-inlined", between, uses_after_unlock_inlined, TOGETHER},
    {"another-call", between, uses_in_another_call, TOGETHER},
    {"no-unlocked", between, uses_elsewhere, TOGETHER},
    {"published", publishes, consumes, ONE_BY_ONE},
    {"no-published", publishes_well, reads_too_early, TOGETHER},
    {"flag", stops, waits_for_stop, ONE_BY_ONE},
    {"no-flag", stops, asks_for_stop, ONE_BY_ONE},
    {"join", writes_and_ends, outlives, ENDS},
    {"detached", detached_writes_and_ends, outlives, ENDS},
    {"locked-join", locks_and_ends, outlives, ENDS},
    {"freed-join", frees_and_ends, uses_freed, ENDS},
    {"block-join", makes_block_and_ends, uses_block, ENDS},
    {"no-join", writes, writes_too, ONE_BY_ONE},
    {"other-lock", locks_and_ends, locks_another, ENDS},
    {"reading", locks_for_reading_and_ends, locks_for_reading, ENDS},
    {"handler-first", is_interrupted, writes_too, ONE_BY_ONE},
    {"handler-second", writes, is_interrupted, ONE_BY_ONE},
    {"handler-both", is_interrupted, is_interrupted, ONE_BY_ONE},
    {"no-handler", calls_handler, writes_too, ONE_BY_ONE},
    {"left-handler", was_interrupted, was_interrupted, ONE_BY_ONE},
    {"pointer", makes_block, looks, ONE_BY_ONE},
    {"no-pointer", points_to_global, looks, ONE_BY_ONE},
    {"other-pointer", points_to_block_of_main, looks, ONE_BY_ONE},
};
static size_t shape;

static void *run_first(void *unused)
{
    (void)unused;
    shapes[shape].first();
    if (shapes[shape].order != TOGETHER)
        unseen_signal(1);
    if (shapes[shape].order != ENDS)
        unseen_wait(5);
    return NULL;
}

int main(int argument_count, char **arguments)
{
    pthread_t thread;
    while (argument_count > 1 && strcmp(shapes[shape].name, arguments[1]) != 0)
        if (++shape == sizeof shapes / sizeof *shapes)
            return 2;
    of_main = malloc(sizeof *of_main);
    if (pthread_create(&thread, NULL, run_first, NULL) != 0)
        return 2;
    if (shapes[shape].order != TOGETHER)
        unseen_wait(1);
    shapes[shape].second();
    unseen_signal(5);
    if (shapes[shape].first != detached_writes_and_ends)
        pthread_join(thread, NULL);
    return 0;
}
