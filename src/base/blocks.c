#include "base/blocks.h"

static unsigned class_of(size_t size)
{
    return size <= 16 ? 0 : 60 - (unsigned)__builtin_clzl(size - 1);
}

void *blocks_take(struct blocks *blocks, size_t size)
{
    unsigned class = class_of(size);
    spin_lock(&blocks->lock);
    void *block = blocks->free[class];
    if (block != NULL)
        blocks->free[class] = *(void **)block;
    blocks->used += (size_t)16 << class;
    spin_unlock(&blocks->lock);
    return block != NULL ? block : arena_take(&blocks->arena, (size_t)16 << class);
}

void blocks_give(struct blocks *blocks, void *block, size_t size)
{
    unsigned class = class_of(size);
    spin_lock(&blocks->lock);
    *(void **)block = blocks->free[class];
    blocks->free[class] = block;
    blocks->used -= (size_t)16 << class;
    spin_unlock(&blocks->lock);
}
