/* What tests ask of the first shadow's mechanisms, where the runtime is built on the second one. */
#pragma once

#include "shadow/bytes.h"

static uint32_t owner_shortest_stay __attribute__((unused));

static inline uint32_t byte_page_count(void)
{
    return bytes_pages_count();
}

/* Chunks have no owners. */
static inline void owner_forget(uintptr_t address, size_t size)
{
    (void)address, (void)size;
}

static inline void owner_take(uintptr_t address, size_t size)
{
    (void)address, (void)size;
}
