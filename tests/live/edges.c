/* Races whose missing edge is known. The argument says which; an order that the detector does not see
 * makes `first` run before `second`. Line numbers are told by the comments that the test looks for. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../programs/unseen.h"

int shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t row[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
sem_t full;
atomic_int ready;
pthread_barrier_t barrier;
pthread_once_t once = PTHREAD_ONCE_INIT;
static int pipe_ends[2];

static void nothing(void)
{
}

/* Not seen by the detector either. */
UNSEEN void unseen_keep(int *where, int value)
{
    __asm__ volatile("movl %1, %0" : "=m"(*where) : "r"(value) : "memory");
}

UNSEEN int unseen_kept(const int *where)
{
    int value;
    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*where) : "memory");
    return value;
}

/* --- the first thread --- */

static void unlocks(void)
{
    pthread_mutex_lock(&m);
    shared = 1;
    pthread_mutex_unlock(&m); /* first releases */
}

static void posts(void)
{
    shared = 1;
    sem_post(&full); /* first releases */
}

static void stores(void)
{
    shared = 1;
    atomic_store_explicit(&ready, 1, memory_order_release); /* first releases */
}

static void stores_relaxed(void)
{
    shared = 1;
    atomic_store_explicit(&ready, 1, memory_order_relaxed); /* first stores */
}

static void writes_pipe(void)
{
    shared = 1;
    if (write(pipe_ends[1], "x", 1) != 1)
        abort();
}

static void initializes(void)
{
    shared = 1;
    pthread_once(&once, nothing);
}

static void only_writes(void)
{
    shared = 1;
}

static void reads_shared(void)
{
    pthread_rwlock_rdlock(&rw);
    shared = 1;
    pthread_rwlock_unlock(&rw); /* first releases */
}

static void releases_before(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m); /* last known */
    unseen_signal(2);
    unseen_wait(3);
    shared = 1;
}

/* --- the second --- */

static void other_lock(void)
{
    pthread_mutex_lock(&q);
    shared++; /* second accesses */
    pthread_mutex_unlock(&q);
}

static void too_early(void)
{
    pthread_mutex_lock(&m); /* too early */
    pthread_mutex_unlock(&m);
    unseen_signal(1);
    unseen_wait(4);
    shared++;
}

static void waits_early(void)
{
    sem_wait(&full);
    unseen_signal(1);
    unseen_wait(4);
    shared++;
}

static void loads_relaxed(void)
{
    if (atomic_load_explicit(&ready, memory_order_relaxed) != 9) /* second loads */
        shared++;
}

/* Reads it, but with release order. */
static void adds_release(void)
{
    if (atomic_fetch_add_explicit(&ready, 0, memory_order_release) != 9)
        shared++;
}

static void remakes(void)
{
    pthread_mutex_destroy(&m);
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    shared++;
    pthread_mutex_unlock(&m);
}

static void other_of_array(void)
{
    pthread_mutex_lock(&row[2]);
    shared++;
    pthread_mutex_unlock(&row[2]);
}

static void one_of_array(void)
{
    pthread_mutex_lock(&row[0]);
    shared = 1;
    pthread_mutex_unlock(&row[0]);
}

static void loads_acquire(void)
{
    if (atomic_load_explicit(&ready, memory_order_acquire) != 9) /* second loads */
        shared++;
}

static void also_reads(void)
{
    pthread_rwlock_rdlock(&rw);
    shared++;
    pthread_rwlock_unlock(&rw);
}

static void knows(void)
{
    unseen_wait(2);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    unseen_signal(3);
    unseen_wait(4);
    shared++;
}

static void just(void)
{
    shared++;
}

static void crowded(void)
{
    for (int i = 0; i < 100000; i++) {
        pthread_mutex_lock(&q);
        pthread_mutex_unlock(&q);
    }
    shared++;
}

/* Both: the first thread and the second. */
static void both_pass(void)
{
    pthread_barrier_wait(&barrier);
}

static void passes_and_writes(void)
{
    both_pass();
    shared = 1;
}

static void passes_later(void)
{
    both_pass();
    unseen_wait(4);
    shared++;
}

/* The thread that was created comes second. */
static void comes_second(void)
{
    unseen_wait(2);
    shared++;
}

static void writes_after_creating(void)
{
    shared = 1;
    unseen_signal(2);
    unseen_wait(4);
}

static int kernel_id;

static void ends(void)
{
    shared = 1;
    unseen_keep(&kernel_id, gettid());
}

static void outlives(void)
{
    while (syscall(SYS_tgkill, getpid(), unseen_kept(&kernel_id), 0) == 0)
        unseen_yield();
    shared++;
}

/* `early`: what the second does begins before the first. */
static const struct {
    const char *name;
    void (*first)(void), (*second)(void);
    int early;
} shapes[] = {{"locks", unlocks, other_lock, 0},
              {"row", one_of_array, other_of_array, 0},
              {"early", unlocks, too_early, 1},
              {"posted", posts, just, 0},
              {"posted-early", posts, waits_early, 1},
              {"stored", stores, just, 0},
              {"loaded-relaxed", stores, loads_relaxed, 0},
              {"added", stores, adds_release, 0},
              {"remade", unlocks, remakes, 0},
              {"stored-relaxed", stores_relaxed, loads_acquire, 0},
              {"pipe", writes_pipe, just, 0},
              {"once", initializes, just, 0},
              {"nothing", only_writes, just, 0},
              {"readers", reads_shared, also_reads, 0},
              {"known", releases_before, knows, 1},
              {"crowded", unlocks, crowded, 0},
              {"barriers", passes_and_writes, passes_later, 1},
              {"created", comes_second, writes_after_creating, 1},
              {"ended", ends, outlives, 0}};
static size_t shape;

static void *run_first(void *unused)
{
    (void)unused;
    if (!shapes[shape].early || shapes[shape].second == too_early || shapes[shape].second == waits_early)
        unseen_wait(1);
    shapes[shape].first();
    unseen_signal(4);
    if (shapes[shape].first != ends)
        unseen_wait(5); /* it has not ended by the time of the report */
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t thread;
    sem_init(&full, 0, 1);
    pthread_barrier_init(&barrier, NULL, 2);
    if (pipe(pipe_ends) != 0)
        return 2;
    while (count > 1 && strcmp(shapes[shape].name, arguments[1]) != 0)
        if (++shape == sizeof shapes / sizeof *shapes)
            return 2;
    if (pthread_create(&thread, NULL, run_first, NULL) != 0)
        return 2;
    if (!shapes[shape].early) {
        unseen_signal(1);
        unseen_wait(4);
    }
    shapes[shape].second();
    unseen_signal(5);
    pthread_join(thread, NULL);
    return 0;
}
