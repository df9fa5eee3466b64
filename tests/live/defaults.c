/* A race in a program that has its own defaults; the argument names a suppression for it. */
#include <pthread.h>

#include "../programs/unseen.h"

int shared;

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "exitcode=33:color=never";
}

const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "# ours\nrace:^suppressed_by_default$\n";
}

__attribute__((noinline)) static void plain(void)
{
    shared++;
}

__attribute__((noinline)) static void suppressed_by_default(void)
{
    shared++;
}

static void (*access)(void);

static void *other(void *unused)
{
    access();
    unseen_signal(1);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    access = argc > 1 ? suppressed_by_default : plain;
    pthread_create(&t, NULL, other, NULL);
    unseen_wait(1);
    access();
    pthread_join(t, NULL);
    return 0;
}
