/* From an entry point to the shadow: the slow path of every access. */
#pragma once

#include "runtime/report.h"

/* Checks the access, tells of a race, and remembers where it was. */
HIDDEN void access_slow(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc);

/* The same for a few bytes that are often accessed again in the same epoch, as strings are: then it is quick. */
HIDDEN void access_again(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc);

/* free(): a write to the whole block, called what it is. */
HIDDEN void access_free(uintptr_t address, size_t size, uintptr_t pc);
/* The same for memory that goes back to the kernel: checked, not remembered. Its shadow is cleared next. */
HIDDEN void access_unmapping(uintptr_t address, size_t size, uintptr_t pc);

/* A use of the byte that is compared with earlier plain writes, and not remembered. */
HIDDEN void access_compare(struct thread *t, uintptr_t address, uintptr_t pc);

struct access_site; /* runtime/history.h */

/* For reports: the earlier access of a race. *by: its thread, or NULL; false: its place is not known any more. */
HIDDEN bool access_earlier(const struct race_found *found, const struct thread **by, struct access_site *site);

/* --- bytes ---
 *
 * A loop over characters touches every word four times. Instead of expanding each word for its first byte and folding
 * it again at the fourth, the bytes of a word are gathered in the thread and checked together: as a whole word when
 * all four were touched, otherwise when another word needs the place. All of them are checked before the thread's next
 * synchronization, while its epoch and clock are still those of the accesses; another thread's access in between is
 * found by whichever of the two checks comes second. */

hot_inline unsigned pending_place(uintptr_t address, enum access_kind kind)
{
    uint32_t word = (uint32_t)(address >> 2) * UINT32_C(0x9e3779b1);
    return kind * PENDING_WORDS + word / (UINT32_MAX / PENDING_WORDS + 1);
}

/* Checks what is pending there. */
HIDDEN void access_flush_word(struct thread *t, unsigned place);

hot_inline bool pending_any(const struct thread *t)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < CHECKING; i++)
        any |= t->pending[i];
    return any != 0;
}

/* And the steps of loops (runtime/pieces.h). */
HIDDEN void access_flush_slow(struct thread *t);

hot_inline bool access_waits(const struct thread *t)
{
    return pending_any(t) || (t->has_piece[0] | t->has_piece[1]) != 0;
}

hot_inline void access_flush(struct thread *t)
{
    if (unlikely(access_waits(t)))
        access_flush_slow(t);
}

/* The process is about to end, or to become another program: what is still pending in other threads is checked by the
 * calling one in their place. They may run meanwhile, and check the same. */
HIDDEN void access_flush_others(struct thread *self);

/* Memory is about to go, or to move: what is still pending there, of whatever thread, is checked first. */
HIDDEN void access_flush_at(struct thread *self, uintptr_t address, size_t size);

/* In the child of a fork: the parent's other threads are not there, and what they had pending is the parent's. */
HIDDEN void access_forked(const struct thread *self);

/* The two steps after the shadow has answered, for checks that are made elsewhere (runtime/atomic_sync.c). */
HIDDEN void access_remember(struct thread *t, const struct race_access_live *a, const struct race_found *found);
HIDDEN void access_tell(struct thread *t, const struct race_access_live *a, const struct race_found *found);
