/* Threads that know nothing of each other get the same memory, one after the other: each block is new to whoever gets
 * it, all of it, from every function that gives memory out. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

enum { TURNS = 40, WAYS = 8 };

static void *get(int way, size_t size)
{
    void *block = NULL;
    switch (way) {
    case 0:
        return malloc(size);
    case 1:
        return calloc(2, size / 2);
    case 2:
        return realloc(NULL, size);
    case 3:
        return realloc(malloc(size / 2), size);
    case 4:
        return aligned_alloc(64, (size + 63) & ~(size_t)63);
    case 5:
        return posix_memalign(&block, 128, size) == 0 ? block : NULL;
    case 6:
        return memalign(32, size);
    default:
        return reallocarray(NULL, 4, size / 4);
    }
}

static void turns(int mine)
{
    for (int turn = mine; turn < TURNS; turn += 2) {
        unseen_wait(turn);
        for (int way = 0; way < WAYS; way++) {
            size_t size = turn % 4 < 2 ? 104 : 300000;
            char *block = get(way, size);
            memset(block, turn, size);
            for (size_t i = 0; i < size; i += 97)
                block[i]++;
            free(block);
        }
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
    mallopt(M_ARENA_MAX, 1); /* both from one heap */
    pair(first, second);
    return 0;
}
