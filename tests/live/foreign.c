/* A thread of which nobody has seen who created it knows what all others have done by then. What they do next races with
 * it, though they have done the same again and again before. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "../programs/unseen.h"

static volatile long word, others;

static __attribute__((noinline)) void access_word(void)
{
    word = 1;
    __asm__ volatile("");
}

static void *foreign(void *unused)
{
    unseen_wait(1);
    others = 1; /* here it is seen for the first time */
    unseen_signal(2);
    unseen_wait(3);
    (void)word;
    return unused;
}

int main(void)
{
    pthread_t thread;
    __typeof__(pthread_create) *create = NULL;
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    if (libc == NULL || (create = (__typeof__(create))dlsym(libc, "pthread_create")) == NULL)
        abort();
    create(&thread, NULL, foreign, NULL);
    for (int i = 0; i < 3; i++)
        access_word();
    unseen_signal(1);
    unseen_wait(2);
    access_word();
    unseen_signal(3);
    pthread_join(thread, NULL);
    return 0;
}
