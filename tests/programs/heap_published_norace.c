/* Blocks that one thread allocates and others write first, handed over in ways that order them; and reused by other threads
 * at once. */
#include <stdatomic.h>
#include <stdlib.h>

#include "must.h"
#include "pair.h"

enum { ROUNDS = 2000 };

static const size_t sizes[] = {64, 700, 4096, 8192, 9000, 50000, 200000};
static _Atomic(int *) mailbox;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *slot;

static void *gives(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        size_t size = sizes[i % (sizeof sizes / sizeof *sizes)];
        int *block = i % 3 == 0   ? malloc(size)
                     : i % 3 == 1 ? calloc(1, size)
                                  : realloc(malloc(size / 2), size);
        must(block != NULL);
        while (atomic_load_explicit(&mailbox, memory_order_acquire) != NULL)
            unseen_yield();
        atomic_store_explicit(&mailbox, block, memory_order_release);
        pthread_mutex_lock(&m);
        free(slot);
        slot = malloc(32);
        pthread_mutex_unlock(&m);
    }
    return unused;
}

static void *takes(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        int *block;
        while ((block = atomic_load_explicit(&mailbox, memory_order_acquire)) == NULL)
            unseen_yield();
        atomic_store_explicit(&mailbox, NULL, memory_order_release);
        block[15] = block[sizes[i % (sizeof sizes / sizeof *sizes)] / sizeof *block - 1] = i;
        free(block);
        pthread_mutex_lock(&m);
        if (slot != NULL)
            slot[7] = i;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pair(gives, takes);
    free(slot);
    return 0;
}
