/* A signal handler that uses the atomic variables of the code that it interrupts, thousands of times. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long shared, handled;
static atomic_int done;

static void handler(int signal)
{
    (void)signal;
    atomic_fetch_add(&shared, 1);
    atomic_fetch_add_explicit(&handled, 1, memory_order_relaxed);
}

static void *worker(void *unused)
{
    long count = 0;
    while (!atomic_load(&done)) {
        atomic_fetch_add(&shared, 1);
        (void)atomic_load_explicit(&shared, memory_order_acquire);
        atomic_thread_fence(memory_order_seq_cst);
        count++;
    }
    atomic_fetch_sub(&shared, count);
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handler);
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < 3000; i++)
        pthread_kill(thread, SIGUSR1);
    atomic_store(&done, 1);
    pthread_join(thread, NULL);
    if (shared != handled)
        abort();
    return 0;
}
