/* Two threads race all the time: each is reported while the other goes on, and its history is read while it grows. */
#include <pthread.h>

enum { CELLS = 64, ROUNDS = 20000 };
static volatile int cells[CELLS];

static void *worker(void *unused)
{
    pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&mine); /* orders nothing: a new epoch, new runs of the history */
        pthread_mutex_unlock(&mine);
        for (int i = 0; i < 4; i++)
            cells[(round + i) % CELLS] = i;
    }
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
