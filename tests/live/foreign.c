/* A thread of which nobody has seen who created it knows what all others have done by then.
 *
 *   foreign          what they do next races with it, though they have done the same again and again before
 *   foreign fiber    one of them is a fiber, which the thread that ran it has left behind with all its memory
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../programs/fiber.h"
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

static void create_unseen(pthread_t *thread)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    __typeof__(pthread_create) *create =
        libc != NULL ? (__typeof__(create))dlsym(libc, "pthread_create") : NULL;
    if (create == NULL || create(thread, NULL, foreign, NULL) != 0)
        abort();
}

/* --- a fiber that is left behind --- */

static struct fiber home, fiber;

static void run_fiber(void)
{
    for (;;) {
        for (int i = 0; i < 3; i++)
            access_word();
        fiber_go(&fiber, &home, 0);
    }
}

static void *runner(void *unused)
{
    fiber_here(&home);
    fiber_start(&fiber, run_fiber);
    fiber_go(&home, &fiber, 0);
    return unused;
}

static void leave_fiber(void)
{
    enum { STACK = 1 << 18 };
    pthread_t thread;
    pthread_attr_t attributes;
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_init(&attributes);
    if (stack == MAP_FAILED || pthread_attr_setstack(&attributes, stack, STACK) != 0 ||
        pthread_create(&thread, &attributes, runner, NULL) != 0)
        abort();
    pthread_join(thread, NULL);
    munmap(stack, STACK);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    if (argc > 1)
        leave_fiber();
    create_unseen(&thread);
    for (int i = 0; i < 3; i++)
        access_word();
    unseen_signal(1);
    unseen_wait(2);
    access_word();
    unseen_signal(3);
    pthread_join(thread, NULL);
    return 0;
}
