/* Two timers at a time, and threads that wait for each other in system calls: every step over one of the
 * runtime's is told from a trap of the program's, and nobody is killed. */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

enum { THREADS = 4, ROUNDS = 8000, ELEMENTS = 1024 };

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int element[THREADS][ELEMENTS];

static void nothing(int number)
{
    (void)number;
}

static void *work(void *me)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < ELEMENTS; i++)
            element[(long)me][i]++;
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 500}, {0, 500}};
    pthread_t thread[THREADS];
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    pthread_barrier_init(&barrier, NULL, THREADS);
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
