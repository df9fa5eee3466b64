/* The places of a program's memory, and which of them share shadow words (shadow/map.h).
 *
 * Addresses that agree in their low 44 bits do. A program has memory in four places: the executable with the
 * heap behind it; libraries; the main thread's stack; and, below the shadow, whatever is mapped later,
 * downwards. With ASLR as it usually is they are at least half a terabyte apart in those bits, whatever the
 * dice say. At its maximum (vm.mmap_rnd_bits=32) they may be anywhere.
 */
#pragma once

#include "shadow/map.h"

struct place {
    uintptr_t from, to;
};

/* How much below `top` is to be left out, so that there is room for half a terabyte before one of the places
 * has the same shadow. */
HIDDEN uintptr_t places_pad(uintptr_t top, const struct place *place, size_t count);

/* At start: what is mapped later is moved away from the other places, by reserving what is above it, and the
 * heap is kept from growing into any; its room is held. False: two of those that are there already share
 * words. */
HIDDEN bool places_keep_apart(void);

/* Until the heap's room is released, the kernel puts nothing there: large tables that fill the hole between
 * the heap and the shadow would leave it none. */
HIDDEN void places_hold_heap(void);
HIDDEN void places_release_heap(void);

/* May the program have memory here? False: other memory has, or had, the same shadow. */
HIDDEN bool places_apart(uintptr_t address, size_t size);

/* It has. Whole gigabytes, which are never given back: what was mapped once may be again. */
HIDDEN void places_claim(uintptr_t address, size_t size);
