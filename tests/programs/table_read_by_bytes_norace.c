/* A table that several threads read, by words and by single bytes. When somebody changes another part of it, one of them
 * has just read two bytes of a word that all have read as a whole. */
#include <pthread.h>

#include "unseen.h"

#ifndef ROUNDS
#define ROUNDS 20
#endif
enum { PAGE = 4096, HALF = PAGE / 8, BYTES = 1026 };
static union {
    int word[PAGE / 4];
    char byte[PAGE];
} table __attribute__((aligned(PAGE)));
static pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static volatile long sink[2];

/* Nothing that the thread has read is put off any longer. */
static void step(int thread)
{
    pthread_mutex_lock(&own[thread]);
    pthread_mutex_unlock(&own[thread]);
}

static __attribute__((noinline)) long read_words(void)
{
    long sum = 0;
    for (int i = 0; i < HALF; i++)
        sum += ((volatile int *)table.word)[i];
    return sum;
}

static __attribute__((noinline)) long read_bytes(int from, int to)
{
    long sum = 0;
    for (int i = from; i < to; i++)
        sum += ((volatile char *)table.byte)[i];
    return sum;
}

static void *first(void *unused)
{
    sink[0] = read_words();
    unseen_signal(1);
    unseen_wait(2);
    step(0);
    sink[0] += read_words();
    step(0);
    sink[0] += read_bytes(0, BYTES);
    unseen_signal(3);
    unseen_wait(4);
    for (int i = 0; i < ROUNDS; i++) {
        step(0);
        sink[0] += read_bytes(BYTES - 2, BYTES + 2);
    }
    step(0);
    unseen_signal(5);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    sink[1] = read_words();
    step(1);
    sink[1] += read_words();
    unseen_signal(2);
    unseen_wait(5);
    for (int i = 0; i < ROUNDS; i++) {
        sink[1] += read_bytes(BYTES - 2, BYTES + 2);
        step(1);
        sink[1] += read_words();
    }
    return unused;
}

static void *writer(void *unused)
{
    unseen_wait(3);
    table.word[PAGE / 4 - 1] = 7;
    unseen_signal(4);
    return unused;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < PAGE / 4; i++)
        table.word[i] = i;
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_create(&t[2], NULL, writer, NULL);
#ifdef RACES
    unseen_wait(5);
    table.byte[BYTES + 1] = 7;
#endif
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
