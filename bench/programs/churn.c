/* Malloc churn: each thread keeps a few hundred blocks, frees one and allocates another in its place; now and
 * then a block goes to whichever thread comes next. */
#include <string.h>

#include "program.h"

enum { KEPT = 256 };

struct block {
    size_t size;
    uint32_t first, check; /* check: of size and first */
};

static struct block *given;
static uint64_t wrong;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct block *make(uint32_t *seed)
{
    size_t bytes = sizeof(struct block) + random_next(seed) % 480;
    struct block *block = malloc(bytes);
    block->size = bytes;
    block->first = random_next(seed);
    block->check = (uint32_t)bytes ^ block->first;
    return block;
}

static bool release(struct block *block)
{
    bool right = block == NULL || ((uint32_t)block->size ^ block->first) == block->check;
    free(block);
    return right;
}

static struct block *pass_on(struct block *block)
{
    pthread_mutex_lock(&lock);
    struct block *other = given;
    given = block;
    pthread_mutex_unlock(&lock);
    return other;
}

static void work(unsigned me)
{
    struct block *kept[KEPT] = {0};
    uint32_t seed = me + 1;
    uint64_t bad = 0;
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        struct block **place = &kept[random_next(&seed) % KEPT];
        bad += !release(*place);
        *place = make(&seed);
        if (i % 16 == 0)
            *place = pass_on(*place);
    }
    for (unsigned i = 0; i < KEPT; i++)
        bad += !release(kept[i]);
    pthread_mutex_lock(&lock);
    wrong += bad;
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 800000);
    program_run(work);
    wrong += !release(given);
    return program_end("blocks that are wrong", wrong, 0);
}
