/* again ROUNDS: starts two threads each round, which access the same memory in turns. Prints how much memory the process has
 * had at most, in KiB. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { WORDS = 4096, THREADS = 2 };
static int shared[WORDS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < WORDS; i++)
        shared[i]++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < rounds; i++) {
        pthread_t thread[THREADS];
        for (int k = 0; k < THREADS; k++)
            pthread_create(&thread[k], NULL, work, NULL);
        for (int k = 0; k < THREADS; k++)
            pthread_join(thread[k], NULL);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    return shared[0] != THREADS * rounds;
}
