/* A thread that accesses everything twice gets used to that: the first access is enough not to be asked any more. Three
 * races, each with an access that has to be recorded all the same: a write after a read; an access after a release; an
 * access to memory that has been freed and is used again. All are made at the same places, which are known by then. */
#include <stdint.h>
#include <stdlib.h>

#include "pair.h"

enum { WORDS = 2048, EPOCHS = 64 };

static uint64_t word[WORDS], read_and_written, released;
static uint64_t *again;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, shared = PTHREAD_MUTEX_INITIALIZER;

/* In the function that calls them: a function that is called is at another place each time. */
static inline __attribute__((always_inline)) void read_it(volatile uint64_t *at)
{
    (void)*at;
    __asm__ volatile("");
}

static inline __attribute__((always_inline)) void write_it(volatile uint64_t *at)
{
    *at = 1;
    __asm__ volatile("");
}

enum what { READ, WRITE, RELEASE, RELEASE_SHARED, WAIT, USE_AGAIN };

/* What the thread does, one step after the other; nobody sees this being read. NULL: `again`. */
static const struct step {
    enum what what;
    uint64_t *at;
} last[] = {{WRITE, &released}, {RELEASE_SHARED, NULL},    {WAIT, NULL},
            {WRITE, &released}, {READ, &read_and_written}, {WRITE, &read_and_written},
            {WRITE, NULL},      {USE_AGAIN, NULL},         {WRITE, NULL}};
enum { LAST = sizeof last / sizeof *last, EACH = 2 * WORDS + 1 };

UNSEEN enum what what_of(int n)
{
    if (n >= EPOCHS * EACH)
        return last[n - EPOCHS * EACH].what;
    return n % EACH == EACH - 1 ? RELEASE : n / EACH % 2 != 0 ? WRITE : READ;
}

UNSEEN uint64_t *at_of(int n)
{
    uint64_t *at = n >= EPOCHS * EACH ? last[n - EPOCHS * EACH].at : &word[n % EACH % WORDS];
    return at != NULL ? at : again;
}

static void use_again(void)
{
    uint64_t *before;
    do {
        before = again;
        free(again);
        again = malloc(sizeof *again);
    } while (again != before);
}

static void release(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
}

/* All reads, and all writes, have the same place and the same callers. */
static inline __attribute__((always_inline)) void do_step(enum what what, uint64_t *at)
{
    switch (what) {
    case READ:
        read_it(at);
        break;
    case WRITE:
        write_it(at);
        break;
    case RELEASE:
        release(&own);
        break;
    case RELEASE_SHARED:
        release(&shared);
        unseen_signal(1);
        break;
    case WAIT:
        unseen_wait(2);
        break;
    case USE_AGAIN:
        use_again();
        break;
    }
}

static void *first(void *unused)
{
    again = malloc(sizeof *again);
    for (int n = 0; n < EPOCHS * EACH + LAST; n++)
        do_step(what_of(n), at_of(n));
    unseen_signal(3);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    release(&shared);
    unseen_signal(2);
    unseen_wait(3);
    read_it(&read_and_written);
    write_it(&released);
    uint64_t *p;
    __asm__ volatile("movq %1, %0" : "=r"(p) : "m"(again) : "memory");
    read_it(p);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
