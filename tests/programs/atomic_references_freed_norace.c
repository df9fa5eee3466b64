/* Objects with counted references that live shortly: memory does not grow with how many of them there have been. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { THREADS = 4, OBJECTS = 200000, MOST_KILOBYTES = 150 << 10 };

static void *work(void *unused)
{
    for (int i = 0; i < OBJECTS; i++) {
        long *references = malloc(24);
        *references = 1;
        __atomic_add_fetch(references, 1, __ATOMIC_RELAXED);
        __atomic_sub_fetch(references, 1, __ATOMIC_RELEASE);
        if (__atomic_sub_fetch(references, 1, __ATOMIC_ACQ_REL) == 0)
            free(references);
    }
    return unused;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], NULL, work, NULL) != 0)
            return 2;
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss < MOST_KILOBYTES ? 0 : 2;
}
