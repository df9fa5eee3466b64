/* What the benchmark programs have in common.
 *
 *   PROGRAM [THREADS [SIZE]]
 *
 * SIZE is the amount of work of all threads together, in the program's own unit; each has a default that
 * takes a plain build some tens of milliseconds. A program is race-free, checks its own result, prints
 * nothing when it is right, and exits with 0 if it is and with 1 if it is not.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_THREADS = 256 };

static unsigned threads = 2;
static size_t size;

static inline void program_begin(int argc, char **argv, size_t default_size)
{
    size = default_size;
    if (argc > 1)
        threads = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        size = strtoul(argv[2], NULL, 10);
    if (threads == 0 || threads > MOST_THREADS || size < threads || argc > 3) {
        fprintf(stderr, "usage: %s [THREADS (1 to %d) [SIZE (at least THREADS)]]\n", argv[0], MOST_THREADS);
        exit(2);
    }
}

static inline void *program_memory(size_t count, size_t each)
{
    void *memory = calloc(count, each);
    if (memory == NULL) {
        fputs("no memory\n", stderr);
        exit(2);
    }
    return memory;
}

static void (*program_work)(unsigned me);

static inline void *program_thread(void *me)
{
    program_work((unsigned)(uintptr_t)me);
    return NULL;
}

/* work(0) ... work(threads - 1), each in a thread of its own; returns when all are done. */
static inline void program_run(void (*work)(unsigned me))
{
    pthread_t thread[MOST_THREADS];
    program_work = work;
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, program_thread, (void *)(uintptr_t)i) != 0) {
            fputs("no thread\n", stderr);
            exit(2);
        }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

/* The thread's share of [0, count): from share(count, me) to share(count, me + 1). */
static inline size_t share(size_t count, unsigned me)
{
    return count * me / threads;
}

/* The exit status. */
static inline int program_end(const char *what, uint64_t found, uint64_t expected)
{
    if (found == expected)
        return 0;
    fprintf(stderr, "wrong result: %s is %llu and should be %llu\n", what, (unsigned long long)found,
            (unsigned long long)expected);
    return 1;
}

/* A small generator of random numbers; the state is never 0. */
static inline uint32_t random_next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}
