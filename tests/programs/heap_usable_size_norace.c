/* Who asks how large a block really is may use all of it, whatever its memory was used for before. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

enum { TURNS = 20 };

static void turns(int mine)
{
    for (int turn = mine; turn < TURNS; turn += 2) {
        unseen_wait(turn);
        char *block = malloc(turn % 3 ? 33 : 40);
        memset(block, 1, malloc_usable_size(block));
        free(block);
        unseen_signal(turn + 1);
    }
}

static void *first(void *unused)
{
    turns(0);
    return unused;
}

static void *second(void *unused)
{
    turns(1);
    return unused;
}

int main(void)
{
    mallopt(M_ARENA_MAX, 1);
    pair(first, second);
    return malloc_usable_size(NULL) != 0;
}
