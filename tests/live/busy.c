/* Two threads, each on its own part of an array in an order of its own; every round ends with a lock. Then, as told, a race.
 * Enough for many windows of a tape: busy ROUNDS [race]. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PART = 4096 };

static long part[2][PART];
long late;
static int rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *mine)
{
    long *own = mine;
    unsigned random = own == part[0] ? 1 : 2;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < PART; i++) {
            random = random * 1103515245 + 12345;
            own[random / 65536 % PART] += round;
        }
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *racer(void *unused)
{
    late = 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, part[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    if (argc > 2) {
        pthread_create(&thread[0], NULL, racer, NULL);
        late = 2;
        pthread_join(thread[0], NULL);
    }
    puts("done");
    return 5;
}
