/* Bytes of one word, each written by another function; another thread then writes two of them, after the functions have
 * returned. */
#include <pthread.h>

#include "../programs/unseen.h"

static volatile char bytes[8] __attribute__((aligned(8)));

#define WRITES(name, byte)                                                                                   \
    __attribute__((noinline)) static void name(void)                                                         \
    {                                                                                                        \
        bytes[byte] = 1;                                                                                     \
    }

WRITES(first, 0)
WRITES(second, 1)
WRITES(third, 2)
WRITES(fourth, 3)
WRITES(fifth, 5)
WRITES(again_first, 0)
WRITES(again_fifth, 5)

__attribute__((noinline)) static void word(void)
{
    first();
    second();
    third();
    fourth();
}

static void *writer(void *unused)
{
    word();
    fifth();
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&t, NULL, writer, NULL);
    unseen_wait(1);
    again_first();
    again_fifth();
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    unseen_signal(2);
    pthread_join(t, NULL);
    return 0;
}
