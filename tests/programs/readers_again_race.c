/* Eight threads read a variable again and again, each time after it has released something new; seven of them
 * are joined by the thread that writes it. */
#include "pair.h"

enum { READERS = 8, ROUNDS = 200 };
static volatile int x;
static pthread_mutex_t own[READERS];

static void *reader(void *number)
{
    int sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&own[(long)number]);
        sum += x;
        pthread_mutex_unlock(&own[(long)number]);
    }
    unseen_barrier(READERS);
    return sum ? number : NULL;
}

int main(void)
{
    pthread_t t[READERS];
    for (long i = 0; i < READERS; i++)
        pthread_mutex_init(&own[i], NULL);
    for (long i = 0; i < READERS; i++)
        pthread_create(&t[i], NULL, reader, (void *)i);
    unseen_wait(READERS);
    for (int i = 0; i < READERS; i++)
        if (i != 3)
            pthread_join(t[i], NULL);
    x = 1;
    pthread_join(t[3], NULL);
    return 0;
}
