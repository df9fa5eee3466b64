/* A write under three locks, one of them for reading, then many more locks, then the write that races. With
 * an argument, so many other accesses come between in the same epoch that the history does not hold them;
 * with two, both writes are under more locks than a report lists. */
#include <pthread.h>
#include <stdlib.h>

#include "../programs/unseen.h"

enum { CELLS = 1 << 22, ACCESSES = 40000, LOCKS = 1000, HELD = 70 };

int racy;
static volatile int cells[CELLS];
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, other, *inner;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static int many_accesses;

__attribute__((noinline)) static void take(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    __asm__ volatile("");
}

__attribute__((noinline)) static void give(pthread_mutex_t *lock)
{
    pthread_mutex_unlock(lock);
    __asm__ volatile("");
}

static void touch_everywhere(void)
{
    unsigned at = 1;
    for (int i = 0; i < ACCESSES; i++) {
        at = at * 1103515245 + 12345;
        cells[(at >> 8) % CELLS] = i;
    }
}

static void *worker(void *unused)
{
    take(&outer);
    pthread_rwlock_rdlock(&shared);
    take(&other);
    give(&other);
    take(inner);
    racy = 1;
    if (many_accesses)
        touch_everywhere();
    give(&outer); /* not in the order of locking */
    give(inner);
    pthread_rwlock_unlock(&shared);
    for (int i = 0; i < LOCKS; i++) {
        take(&other);
        give(&other);
    }
    unseen_signal(1);
    return unused;
}

static void write_under_locks(int value)
{
    static pthread_mutex_t lock[2][HELD];
    for (int i = 0; i < HELD; i++)
        take(&lock[value][i]);
    racy = value;
    for (int i = 0; i < HELD; i++)
        give(&lock[value][i]);
}

static void *holder(void *unused)
{
    write_under_locks(1);
    unseen_signal(1);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    if (argc > 2) {
        pthread_create(&t, NULL, holder, NULL);
        unseen_wait(1);
        write_under_locks(0);
        return pthread_join(t, NULL);
    }
    many_accesses = argc > 1;
    inner = malloc(sizeof *inner);
    pthread_mutex_init(inner, NULL);
    pthread_mutex_init(&other, NULL);
    pthread_create(&t, NULL, worker, NULL);
    unseen_wait(1);
    racy = 2;
    pthread_join(t, NULL);
    pthread_mutex_destroy(inner);
    free(inner);
    return 0;
}
