#include "runtime/access.h"

#include "runtime/annotations.h"
#include "runtime/history.h"
#include "runtime/intercept/lock.h"

void access_remember(struct thread *t, const struct race_access_live *a, const struct race_found *found)
{
    if (found->changed > 0)
        history_add(t, &(struct access){.address = a->address,
                                        .pc = a->pc,
                                        .size = (uint32_t)a->size,
                                        .kind = (uint8_t)a->kind,
                                        .is_free = a->is_free});
}

void access_tell(struct thread *t, const struct race_access_live *a, const struct race_found *found)
{
    if (unlikely(found->conflict.earlier != 0) && !annotations_benign(found->address))
        report_race(t, a, found);
}

static void check(struct thread *t, const struct race_access_live *a)
{
    struct race_found found;
    if (thread_ignores(t, a->kind))
        return;
    t->inside++;
    shadow_access(a->address, a->size, a->kind, &t->actor, &found);
    access_remember(t, a, &found);
    access_tell(t, a, &found);
    t->inside--;
}

void access_slow(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = likely(thread_self != NULL) ? thread_self : thread_current();
    if (t->inside == 0)
        check(t, &(struct race_access_live){.address = address, .pc = pc, .size = size, .kind = kind});
}

void access_flush_slow(struct thread *t)
{
    for (unsigned kind = PLAIN_READ; kind <= PLAIN_WRITE; kind++) {
        struct pending p = t->pending[kind];
        t->pending[kind].base = 0;
        for (unsigned from = 0, to; p.base != 0 && p.mask >> from != 0; from = to) {
            from += (unsigned)__builtin_ctz(p.mask >> from);
            to = from + (unsigned)__builtin_ctz(~(p.mask >> from));
            check(t, &(struct race_access_live){
                         .address = p.base + from, .pc = p.pc, .size = to - from, .kind = (enum access_kind)kind});
        }
    }
}

void access_free(uintptr_t address, size_t size, uintptr_t pc)
{
    struct thread *t = thread_current();
    if (t->inside == 0)
        check(t, &(struct race_access_live){
                     .address = address, .pc = pc, .size = size, .kind = PLAIN_WRITE, .is_free = true});
    annotations_forget(address, size);
}

/* --- without remembering --- */

/* The last plain write of a byte, as a half. */
static uint32_t last_write(uintptr_t address)
{
    const uint64_t *word = shadow_of(address);
    for (;;) {
        uint64_t seen = load_acquire(word);
        const struct record *record = record_peek(&seen);
        if (record == NULL)
            return write_half(seen);
        uint32_t w = load_acquire(&record->cell[address & 3].w);
        if (likely(load_relaxed(word) == seen)) /* it was this word's record */
            return w;
    }
}

void access_compare(struct thread *t, uintptr_t address, uintptr_t pc)
{
    t->inside++;
    uint32_t w = last_write(address);
    if (unlikely(w != 0 && !half_before(w, t->clock))) {
        struct race_found found = {.conflict = {w, PLAIN_WRITE}, .address = address};
        access_tell(t,
                    &(struct race_access_live){.address = address, .pc = pc, .size = 1, .kind = ATOMIC_READ},
                    &found);
    }
    t->inside--;
}

bool access_earlier(const struct race_found *found, const struct thread **by, struct access_site *site)
{
    const struct conflict *c = &found->conflict;
    *by = thread_of_epoch(c->earlier);
    return (*by != NULL && history_find(*by, c->earlier, found->address, c->kind, site)) ||
           lock_last_use(found->address, c->earlier, site);
}

void access_unmapping(uintptr_t address, size_t size, uintptr_t pc)
{
    struct thread *t = thread_current();
    struct race_access_live a = {.address = address, .pc = pc, .size = size, .kind = PLAIN_WRITE, .is_free = true};
    struct race_found found;
    if (t->inside == 0 && !thread_ignores(t, PLAIN_WRITE)) {
        t->inside++;
        shadow_check_write(address, size, &t->actor, &found);
        access_tell(t, &a, &found);
        t->inside--;
    }
    annotations_forget(address, size);
}
