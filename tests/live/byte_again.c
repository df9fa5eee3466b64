/* A byte is written; then its block is freed and given out again, and the same byte written there by its new owner. With an
 * argument: next to memory that both threads use. */
#include <pthread.h>
#include <stdlib.h>

#include "../programs/unseen.h"

enum { TURNS = 16, WRITTEN = 1000, GIVEN_OUT };

static char *block;
char *again_block; /* not static: what is never read would not be written */
static int *around, sharing;

/* Of the one, or the other; each writes its own, in turns. */
static void share(int own)
{
    for (int i = own; sharing && i < 2 * TURNS; i += 2) {
        unseen_wait(i);
        around[i] = 1;
        unseen_signal(i + 1);
    }
}

static void *writer(void *argument)
{
    share(0);
    unseen_wait(sharing ? 2 * TURNS : 0);
    block[5] = 1;
    unseen_signal(WRITTEN);
    unseen_wait(GIVEN_OUT);
    return argument;
}

static void *again(void *argument)
{
    share(1);
    unseen_wait(WRITTEN);
    char *old = block;
    free(old);
    again_block = malloc(64);
    if (again_block != old)
        abort();
    again_block[5] = 2;
    unseen_signal(GIVEN_OUT);
    return argument;
}

int main(int count, char **argument)
{
    (void)argument;
    pthread_t thread[2];
    sharing = count > 1;
    around = calloc(2 * TURNS, sizeof *around);
    block = malloc(64);
    pthread_create(&thread[0], NULL, writer, NULL);
    pthread_create(&thread[1], NULL, again, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
