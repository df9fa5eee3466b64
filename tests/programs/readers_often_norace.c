/* A global that two threads read in ever new epochs, one round after the other; between rounds, when both have ended, the
 * main thread writes it. */
#include <pthread.h>

#include "threads_together.h"
#include "unseen.h"

enum { ROUNDS = 5, EPOCHS = 5000 };

struct {
    long written[2];
    long limit;
} page = {.limit = EPOCHS};

pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void count(int me)
{
    for (long i = 0; i < page.limit; i++) {
        pthread_mutex_lock(&lock[me]);
        page.written[me]++;
        pthread_mutex_unlock(&lock[me]);
    }
}

THREAD(first)
{
    count(0);
    return NULL;
}

THREAD(second)
{
    count(1);
    return NULL;
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        run(first, second);
        page.limit++;
    }
    return page.written[0] != page.written[1];
}
