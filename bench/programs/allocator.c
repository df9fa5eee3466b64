/* Allocator churn: blocks of many sizes are allocated, filled, made larger or smaller, and freed, one of four
 * by another thread, which finds it in its mailbox. SIZE is the number of blocks. */
#include <stdatomic.h>
#include <string.h>

#include "program.h"

enum { KEPT = 128, LOOKS_EVERY = 32 };

struct block {
    struct block *next; /* in a mailbox */
    size_t length;
    uint8_t filling;
    uint8_t byte[];
};

/* A stack of blocks: anybody pushes, the owner takes all of them at once. */
static struct {
    _Alignas(64) _Atomic(struct block *) first;
} mailbox[MOST_THREADS];

static pthread_barrier_t barrier;
static struct tally {
    uint64_t blocks, bytes, wrong; /* freed */
    uint64_t allocated;            /* bytes; what realloc() makes larger or smaller counts, too */
} * tally;

/* Mostly small ones: of 16, twelve up to 128 bytes, three up to 1 KiB, one up to 16 KiB. */
static size_t random_length(uint32_t *seed)
{
    uint32_t random = random_next(seed) >> 8;
    unsigned kind = random % 16;
    return 1 + random / 16 % (kind < 12 ? 128 : kind < 15 ? 1024 : 16384);
}

static struct block *resize(struct block *block, size_t length)
{
    block = realloc(block, sizeof *block + length);
    if (block == NULL) {
        fputs("no memory\n", stderr);
        exit(2);
    }
    block->length = length;
    return block;
}

static struct block *new_block(uint32_t *seed, struct tally *mine)
{
    struct block *block = resize(NULL, random_length(seed));
    block->filling = (uint8_t)random_next(seed);
    memset(block->byte, block->filling, block->length);
    mine->allocated += block->length;
    return block;
}

static struct block *change(struct block *block, uint32_t *seed, struct tally *mine)
{
    size_t before = block->length;
    block = resize(block, random_length(seed));
    if (block->length > before)
        memset(block->byte + before, block->filling, block->length - before);
    mine->allocated += (uint64_t)block->length - before;
    return block;
}

static void release(struct block *block, struct tally *mine)
{
    size_t wrong = 0;
    for (size_t i = 0; i < block->length; i++)
        wrong += block->byte[i] != block->filling;
    mine->blocks++;
    mine->bytes += block->length;
    mine->wrong += wrong;
    free(block);
}

static void send(unsigned to, struct block *block)
{
    block->next = atomic_load_explicit(&mailbox[to].first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&mailbox[to].first, &block->next, block,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

static void receive(unsigned me, struct tally *mine)
{
    struct block *block = atomic_exchange_explicit(&mailbox[me].first, NULL, memory_order_acquire);
    while (block != NULL) {
        struct block *next = block->next;
        release(block, mine);
        block = next;
    }
}

static void work(unsigned me)
{
    struct block *kept[KEPT] = {0};
    uint32_t seed = me + 1;
    struct tally mine = {0};
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        uint32_t random = random_next(&seed) >> 8;
        struct block **place = &kept[random % KEPT], **other = &kept[random / KEPT % KEPT];
        if (*place != NULL && i % 4 == 0)
            send((unsigned)((me + i / 4) % threads), *place);
        else if (*place != NULL)
            release(*place, &mine);
        *place = new_block(&seed, &mine);
        if (*other != NULL && i % 4 == 1)
            *other = change(*other, &seed, &mine);
        if (i % LOOKS_EVERY == 0)
            receive(me, &mine);
    }
    for (unsigned i = 0; i < KEPT; i++)
        if (kept[i] != NULL)
            release(kept[i], &mine);
    pthread_barrier_wait(&barrier);
    receive(me, &mine);
    tally[me] = mine;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 150000);
    tally = program_memory(threads, sizeof *tally);
    pthread_barrier_init(&barrier, NULL, threads);
    program_run(work);
    struct tally sum = {0};
    for (unsigned i = 0; i < threads; i++) {
        sum.blocks += tally[i].blocks;
        sum.bytes += tally[i].bytes;
        sum.wrong += tally[i].wrong;
        sum.allocated += tally[i].allocated;
    }
    return program_end("the number of blocks", sum.blocks, size) |
           program_end("the number of bytes", sum.bytes, sum.allocated) |
           program_end("bytes that are wrong", sum.wrong, 0);
}
