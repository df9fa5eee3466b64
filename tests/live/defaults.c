/* A race in a program that has its own defaults, and hooks; with an argument, its own suppressions hide it.
 */
#include <pthread.h>
#include <stdlib.h>

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

static int began;

void __tsan_on_initialize(void);
void __tsan_on_initialize(void)
{
    began = 1;
}

int __tsan_on_finalize(int failed);
int __tsan_on_finalize(int failed)
{
    if (!began)
        return 1;
    return getenv("FORGIVE") != NULL ? 0 : failed;
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
