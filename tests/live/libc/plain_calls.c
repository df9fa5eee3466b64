/* Two threads fill the same memory by a library that is not instrumented, or, with an argument, one by
 * itself. */
#include <pthread.h>
#include <string.h>

#include "unseen.h"

void plain_fill(char *to, size_t size);

static char memory[64];
static int own;

static void *first(void *unused)
{
    if (own)
        memset(memory, 'z', sizeof memory);
    else
        plain_fill(memory, sizeof memory);
    unseen_signal(1);
    return unused;
}

static void second(void)
{
    if (own)
        memset(memory, 'z', sizeof memory);
    else
        plain_fill(memory, sizeof memory);
}

int main(int count, char **arguments)
{
    pthread_t thread;
    (void)arguments;
    own = count > 1;
    pthread_create(&thread, NULL, first, NULL);
    unseen_wait(1);
    second();
    pthread_join(thread, NULL);
    return 0;
}
