/* What a mutex and an atomic variable have released moves with their memory. */
/* build: -D_GNU_SOURCE */
#include <sys/mman.h>

#include "must.h"
#include "threads_together.h"
#include "unseen.h"

enum { SIZE = 4096 };

struct shared {
    pthread_mutex_t mutex;
    int flag;
} * shared;
int data, other;

THREAD(first)
{
    pthread_mutex_lock(&shared->mutex);
    data = 1;
    pthread_mutex_unlock(&shared->mutex);
    other = 1;
    __atomic_store_n(&shared->flag, 1, __ATOMIC_RELEASE);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    char *place = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(place != MAP_FAILED);
    struct shared *moved = mremap(shared, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    must(moved != MAP_FAILED);
    pthread_mutex_lock(&moved->mutex);
    data = 2;
    pthread_mutex_unlock(&moved->mutex);
    if (__atomic_load_n(&moved->flag, __ATOMIC_ACQUIRE))
        other = 2;
    return NULL;
}

int main(void)
{
    shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED);
    pthread_mutex_init(&shared->mutex, NULL);
    run(first, second);
    return other != 2;
}
