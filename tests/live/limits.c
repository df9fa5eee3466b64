/* Much of one thing, the way that the first argument names:
 *
 *   idle N      so many threads that wait: prints how many KiB of memory each has
 *   mutexes N   so many, one after the other, half of them never destroyed: prints by how many KiB memory
 * grew in the second half array N     so many MiB, written by one thread, read by two, written again; and a
 * race on its last word deep N      so many calls deep: a race at the end walks N     so many ways through
 * two functions that call each other: then a race
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/must.h"
#include "../programs/resident.h"
#include "../programs/unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int here, leave;
int shared;

/* --- a race with what another thread did --- */

static void *writer(void *unused)
{
    shared = 1;
    unseen_signal(1);
    return unused;
}

__attribute__((noinline)) static void race(void)
{
    shared = 2;
}

/* --- threads --- */

static void *idle(void *unused)
{
    pthread_mutex_lock(&lock);
    here++;
    pthread_cond_broadcast(&changed);
    while (!leave)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void many_idle(int count)
{
    pthread_t *t = calloc((size_t)count, sizeof *t);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    long before = resident();
    for (int i = 0; i < count; i++)
        must(pthread_create(&t[i], &small, idle, NULL) == 0);
    pthread_mutex_lock(&lock);
    while (here < count)
        pthread_cond_wait(&changed, &lock);
    printf("%ld\n", (resident() - before) / count);
    leave = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count; i++)
        pthread_join(t[i], NULL);
}

/* --- mutexes --- */

static void many_mutexes(int count)
{
    long half = 0;
    for (int i = 0; i < count; i++) {
        pthread_mutex_t *m = malloc(sizeof *m * (1 + (size_t)i % 7));
        pthread_mutex_init(m, NULL);
        pthread_mutex_lock(m);
        shared++;
        pthread_mutex_unlock(m);
        if (i & 1)
            pthread_mutex_destroy(m);
        free(m);
        if (i == count / 2)
            half = resident();
    }
    printf("%ld\n", resident() - half);
}

/* --- memory --- */

static size_t words;
static long *array;

static void *read_all(void *sum)
{
    for (size_t i = 0; i < words; i++)
        *(long *)sum += array[i];
    return NULL;
}

static void *write_last(void *unused)
{
    array[words - 1] = 1;
    unseen_signal(1);
    return unused;
}

static void large_array(int megabytes)
{
    pthread_t t[2];
    long sum[2] = {0, 0};
    words = ((size_t)megabytes << 20) / sizeof *array;
    array = malloc(words * sizeof *array);
    must(array != NULL);
    for (size_t i = 0; i < words; i++)
        array[i] = (long)i;
    for (int i = 0; i < 2; i++)
        must(pthread_create(&t[i], NULL, read_all, &sum[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (size_t i = 0; i < words; i++)
        array[i] = 0;
    must(sum[0] == sum[1]);
    must(pthread_create(&t[0], NULL, write_last, NULL) == 0);
    unseen_wait(1);
    array[words - 1] = 2;
    pthread_join(t[0], NULL);
    free(array);
}

/* --- calls --- */

static int depth;
static __thread volatile int reached;

__attribute__((noinline)) static int fall(int left)
{
    reached++;
    if (left == 0)
        race();
    return left == 0 ? 0 : fall(left - 1) + 1;
}

static void *deep(void *unused)
{
    must(fall(depth) == depth);
    return unused;
}

static void fall_deep(void)
{
    pthread_t t, u;
    pthread_attr_t large;
    pthread_attr_init(&large);
    must(pthread_attr_setstacksize(&large, (size_t)1 << 30) == 0);
    must(pthread_create(&t, NULL, writer, NULL) == 0);
    unseen_wait(1);
    must(pthread_create(&u, &large, deep, NULL) == 0);
    pthread_join(u, NULL);
    pthread_join(t, NULL);
}

static int walk(int left, uint64_t way);

__attribute__((noinline)) static int even(int left, uint64_t way)
{
    return walk(left - 1, way >> 1) + 1;
}

__attribute__((noinline)) static int odd(int left, uint64_t way)
{
    return walk(left - 1, way >> 1) + 2;
}

__attribute__((noinline)) static int walk(int left, uint64_t way)
{
    if (left == 0) {
        void *volatile block = malloc(10); /* its stack is kept */
        free(block);
        return 0;
    }
    if (left < 0)
        race();
    return left < 0 ? 0 : way & 1 ? odd(left, way) : even(left, way);
}

static void many_walks(int count)
{
    pthread_t t;
    must(pthread_create(&t, NULL, writer, NULL) == 0);
    unseen_wait(1);
    for (int i = 0; i < count; i++)
        walk(20, (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> 40);
    odd(0, 1); /* walk(-1) */
    pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
    int count = argc > 2 ? atoi(argv[2]) : 0;
    must(argc > 2);
    if (strcmp(argv[1], "idle") == 0)
        many_idle(count);
    else if (strcmp(argv[1], "mutexes") == 0)
        many_mutexes(count);
    else if (strcmp(argv[1], "array") == 0)
        large_array(count);
    else if (strcmp(argv[1], "deep") == 0)
        depth = count, fall_deep();
    else
        many_walks(count);
    return 0;
}
