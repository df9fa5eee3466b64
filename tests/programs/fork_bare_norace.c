/* fork() as a bare system call while another thread is inside the runtime most of the time: the child, which has no other
 * thread, does not wait for what that one held. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"

enum { ROUNDS = 20 };

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop;
static int own;

static void *hammer(void *unused)
{
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        pthread_mutex_lock(&busy);
        pthread_mutex_unlock(&busy);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, hammer, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        int status;
        long child = syscall(SYS_fork);
        if (child == 0) {
            pthread_mutex_lock(&mutex);
            own++;
            pthread_mutex_unlock(&mutex);
            _exit(7);
        }
        must(waitpid((pid_t)child, &status, 0) == child);
        must(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    return 0;
}
