/* Which variables the bytes of a program are, found out from all its accesses: for transcribing a recorded
 * execution, which names addresses and sizes, into a trace, whose variables are always accessed as a whole.
 *
 * The accesses are gone through twice, with the same calls in the same order. The first time it is found out
 * where accesses begin and end, and which threads write atomically; the second time that is known.
 *
 * A *life* is what an aligned group of 8 bytes (or a half of it, once the halves were cleared apart) is from
 * one clearing of that memory to the next. Lives are numbered in the order in which they begin: a life has
 * the same number both times. A life is *cut* where any access to it begins or ends; the bytes between two
 * cuts are a variable.
 */
#pragma once

#include "base/mem.h"

struct lives;

struct lives *lives_new(void);
void lives_free(struct lives *lives);

/* The second time begins. */
void lives_again(struct lives *lives);

/* Bytes [from, to) of the group at `base` are bytes of this life. */
typedef void lives_visit(void *context, uint32_t life, uintptr_t base, unsigned from, unsigned to);

/* Calls with all parts of the access. `make`: bytes that have no life get one; otherwise they are left out.
 */
void lives_each(struct lives *lives, uintptr_t address, size_t size, bool make, lives_visit *visit,
                void *context);

/* Whole words; whole pages. */
void lives_clear(struct lives *lives, uintptr_t address, size_t size);
void lives_move(struct lives *lives, uintptr_t from, uintptr_t to, size_t size);

/* What is known of a life. */
enum life_fact {
    LIFE_CUTS = 0xfe,      /* bit i: there is a cut before byte i */
    LIFE_STORED = 1 << 8,  /* somebody writes it atomically */
    LIFE_COMPARED = 1 << 9 /* somebody compares */
};

void lives_cut(struct lives *lives, uint32_t life, unsigned from, unsigned to);
uint16_t *lives_facts(struct lives *lives, uint32_t life);
