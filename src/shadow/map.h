/* Where the shadow of an address is: 4 application bytes, one 64-bit word.
 *
 *   shadow(a) = base + (2a mod 2^45)
 *
 * One region of 32 TiB of address space, reserved at start wherever the kernel has room and never touched
 * until used: no fixed addresses, so no quarrel with ASLR, Docker's seccomp profile, gdb or rr. Addresses
 * that agree in their low 44 bits share a word; Linux keeps the executable, its heap, libraries and stacks
 * apart in those bits, and runtime/places.h makes sure of it.
 */
#pragma once

#include "base/base.h"

#define HIDDEN __attribute__((visibility("hidden")))

#ifndef CHUNK_SIZE_BITS
#define CHUNK_SIZE_BITS 12
#endif

/* A chunk (shadow/chunks.h) is 4 KiB, in tests less; its number is 32 bits of the address. */
enum { CHUNK_BITS = CHUNK_SIZE_BITS, SHADOW_WINDOW_BITS = 32 + CHUNK_BITS };

extern HIDDEN uintptr_t shadow_base;
extern const uintptr_t __pf_shadow
    __attribute__((visibility("default"))); /* the same, for checks in the program's own code */
/* (2^45 - 1) without its low 3 bits; in memory, since x86-64 has no 64-bit immediate operand for `and`. */
extern HIDDEN uintptr_t shadow_mask;

hot_inline uint64_t *shadow_of(uintptr_t address)
{
    return (uint64_t *)(shadow_base + (address * 2 & shadow_mask));
}

/* A second table, next to the shadow: 4 bytes for each 16 of it (shadow/freed.h). */
extern HIDDEN uintptr_t freed_base;

/* False when the address space has no room for the region (ulimit -v, overcommit off). */
HIDDEN bool shadow_map_init(void);

/* Makes the words of [address, address + size) empty. Both ends are widened to whole words. */
HIDDEN void shadow_clear(uintptr_t address, size_t size);

/* The same for memory of which mostly a small part was used: a thread's stack. */
HIDDEN void shadow_clear_used(uintptr_t address, size_t size);

/* These bytes are about to be used, and pages of the shadow begin there. To read one that never was used, and to write it
 * then, costs two page faults and an interrupt for all threads: the kernel lends its page of zeroes first. */
HIDDEN void shadow_touch(uintptr_t address, size_t size);

/* What was at [from, from + size) is now at `to`, sync objects too. The ranges do not overlap; all are multiples of 8. The
 * words at `to` are empty. The caller clears what is left at `from`. */
HIDDEN void shadow_move(uintptr_t from, uintptr_t to, size_t size);
