/* A global that two threads read in ever new epochs, and one of them writes in the end: a race with the other one's last
 * read, which is one of many thousands. Some other memory of its page is written all the time. */
#include <pthread.h>

#include "threads_together.h"
#include "unseen.h"

enum { EPOCHS = 20000 };

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

THREAD(reader)
{
    unseen_barrier(2);
    count(0);
    unseen_signal(3);
    return NULL;
}

THREAD(writer)
{
    unseen_barrier(2);
    count(1);
    unseen_wait(3);
    page.limit = 0;
    return NULL;
}

int main(void)
{
    run(reader, writer);
    return 0;
}
