/* Blocks are handed from one thread to another, used by both, and freed by the second. */
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

enum { BLOCKS = 200 };
static char *blocks[BLOCKS];
static sem_t full;
static int bad;

static void *first(void *unused)
{
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = i % 2 ? malloc((size_t)i * 700 + 1) : calloc(1, (size_t)i * 700 + 1);
        memset(blocks[i], i, (size_t)i * 700 + 1);
        sem_post(&full);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < BLOCKS; i++) {
        sem_wait(&full);
        bad |= blocks[i][i * 700] != (char)i;
        free(blocks[i]);
    }
    return unused;
}

int main(void)
{
    sem_init(&full, 0, 0);
    pair(first, second);
    return bad;
}
