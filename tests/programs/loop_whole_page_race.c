/* A loop with gaps over a whole page, with as many steps as the page has room for: the next one would be more than a page
 * behind the first. Each step reads before it writes. */
#include <pthread.h>

#include "unseen.h"

enum { PAGE = 4096, GAP = 48, BEFORE = 14, STEPS = 100 };
static char memory[3 * PAGE] __attribute__((aligned(PAGE)));

static __attribute__((noinline)) void change(char *at)
{
    for (int i = 0; i < STEPS; i++, at += GAP)
        ++*(volatile int *)at;
}

static void *writer(void *unused)
{
    change(memory + PAGE - BEFORE * GAP);
    unseen_signal(1);
    return unused;
}

static void *reader(void *unused)
{
    unseen_wait(1);
    (void)*(volatile int *)(memory + PAGE + 40 * GAP);
    return unused;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
