/* A thread knows, by other means, all that one holder of a lock has released. Another one has had the lock since then:
 * who acquires what is released there, by annotation, learns of that all the same. */
#include <pthread.h>
#include <semaphore.h>

#include "must.h"
#include "unseen.h"

void __tsan_acquire(void *address);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t told;
static int shared;

static void write_locked(int value)
{
    must(pthread_mutex_lock(&lock) == 0);
    shared = value;
    must(pthread_mutex_unlock(&lock) == 0);
}

static void *first_writer(void *unused)
{
    write_locked(1);
    must(sem_post(&told) == 0);
    unseen_signal(1);
    return unused;
}

static void *second_writer(void *unused)
{
    unseen_wait(2);
    write_locked(2);
    write_locked(3);
    unseen_signal(3);
    return unused;
}

static void *reader(void *unused)
{
    unseen_wait(1);
    must(sem_wait(&told) == 0);
    unseen_signal(2);
    unseen_wait(3);
    __tsan_acquire(&lock);
    must(shared == 3);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    void *(*const work[])(void *) = {first_writer, second_writer, reader};
    must(sem_init(&told, 0, 0) == 0);
    for (int i = 0; i < 3; i++)
        must(pthread_create(&thread[i], NULL, work[i], NULL) == 0);
    for (int i = 0; i < 3; i++)
        must(pthread_join(thread[i], NULL) == 0);
    return 0;
}
