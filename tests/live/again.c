/* again ROUNDS [bytes]: starts two threads each round, which access the same memory in turns, or single bytes of their stacks.
 * Prints how much memory the process has had at most, in KiB. */
#include <pthread.h>
#include <stdbool.h>
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

__attribute__((noinline)) static void write_bytes(volatile char *bytes, int size)
{
    for (int i = 0; i < size; i += 4)
        bytes[i] = 1;
}

static void *work_on_bytes(void *unused)
{
    char bytes[4096];
    write_bytes(bytes, sizeof bytes);
    return unused;
}

int main(int argc, char **argv)
{
    bool of_bytes = argc > 2;
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < rounds; i++) {
        pthread_t thread[THREADS];
        for (int k = 0; k < THREADS; k++)
            pthread_create(&thread[k], NULL, of_bytes ? work_on_bytes : work, NULL);
        for (int k = 0; k < THREADS; k++)
            pthread_join(thread[k], NULL);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
    return !of_bytes && shared[0] != THREADS * rounds;
}
