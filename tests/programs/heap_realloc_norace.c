/* Blocks that grow and shrink keep what is in them, and their neighbours are other threads' business. */
#include <stdlib.h>
#include <string.h>

#include "pair.h"

static void *worker(void *unused)
{
    for (int i = 0; i < 100; i++) {
        char *block = malloc(1);
        block[0] = (char)i;
        for (size_t size = 2; size < 1 << 19; size += size / 2 + 7) {
            block = realloc(block, size);
            if (block[0] != (char)i)
                return worker;
            block[size - 1] = 1;
        }
        block = realloc(block, 10);
        if (block[0] != (char)i || realloc(block, 0) != NULL)
            return worker;
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    void *bad_a, *bad_b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, &bad_a);
    pthread_join(b, &bad_b);
    return bad_a != NULL || bad_b != NULL;
}
