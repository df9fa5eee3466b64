/* waves WAVES THREADS [wait]: waves of threads that are all there at once; each writes its own slot, memory
 * that others have had before, and the same variable as all others. Then, as told, says its process id and
 * waits to be killed. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1000 };

long slot[MOST], racy;
static pthread_barrier_t all;

static void *work(void *mine)
{
    pthread_barrier_wait(&all);
    *(long *)mine = 1;
    for (int i = 0; i < 20; i++) {
        long *own = malloc(32);
        own[i % 4] = 1;
        free(own);
    }
    racy = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    static pthread_t thread[MOST];
    int waves = atoi(argv[1]), threads = atoi(argv[2]);
    for (int wave = 0; wave < waves; wave++) {
        pthread_barrier_init(&all, NULL, (unsigned)threads);
        for (int i = 0; i < threads; i++)
            pthread_create(&thread[i], NULL, work, &slot[i]);
        for (int i = 0; i < threads; i++)
            pthread_join(thread[i], NULL);
        pthread_barrier_destroy(&all);
    }
    if (argc > 3) {
        printf("%ld\n", (long)getpid());
        fflush(stdout);
        pause();
    }
    return 0;
}
