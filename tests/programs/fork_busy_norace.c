/* Threads that use mutexes, atomics and the heap all the time, while the main thread forks children that do the same
 * and start a thread of their own. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, CHILDREN = 200 };

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop, counter;
int shared, handed_over;

static void *hammer(void *unused)
{
    while (!atomic_load(&stop)) {
        pthread_mutex_lock(&busy);
        shared++;
        pthread_mutex_unlock(&busy);
        atomic_fetch_add(&counter, 1);
        free(malloc(100));
    }
    return unused;
}

static void *in_child(void *unused)
{
    pthread_mutex_lock(&mutex);
    handed_over++;
    pthread_mutex_unlock(&mutex);
    free(malloc(1000));
    return unused;
}

static int child(void)
{
    pthread_t t;
    handed_over = 1;
    if (pthread_create(&t, NULL, in_child, NULL) != 0)
        return 3;
    pthread_join(t, NULL);
    pthread_mutex_lock(&mutex);
    handed_over++;
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&counter, 1);
    int *block = malloc(sizeof *block);
    *block = handed_over;
    int sum = *block;
    free(block);
    return sum == 3 ? 0 : 4;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, hammer, NULL);
    int failed = 0;
    for (int i = 0; i < CHILDREN && !failed; i++) {
        int status;
        pid_t pid = fork();
        if (pid == 0)
            _exit(child());
        failed = pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return failed ? 2 : 0;
}
