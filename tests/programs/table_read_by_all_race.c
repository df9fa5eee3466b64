/* A table that several threads scan; the first of them, of which nothing is known, has read what is written
 * at the end. */
#include "pair.h"

enum { WORDS = 4096, READERS = 4 };
static int table[WORDS];
static volatile int sink[READERS];

static void *reader(void *number)
{
    int sum = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < WORDS; i++)
            sum += ((volatile int *)table)[i];
    sink[(long)number] = sum;
    unseen_barrier(READERS);
    return NULL;
}

int main(void)
{
    pthread_t t[READERS];
    for (int i = 0; i < WORDS; i++)
        table[i] = i;
    for (long i = 0; i < READERS; i++)
        pthread_create(&t[i], NULL, reader, (void *)i);
    unseen_wait(READERS);
    for (int i = 1; i < READERS; i++)
        pthread_join(t[i], NULL);
    table[WORDS - 7] = 1;
    pthread_join(t[0], NULL);
    return 0;
}
