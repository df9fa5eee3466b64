#include "runtime/access.h"

#include "runtime/annotations.h"
#include "runtime/history.h"
#include "runtime/intercept/lock.h"
#include "runtime/pieces.h"
#include "runtime/slots.h"
#include "runtime/stack.h"
#include "runtime/world.h"
#include "shadow/freed.h"
#include "shadow/same_epoch.h"

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

/* The thread reads something in a chunk of its own that others read, too, in one epoch after the other. */
cold_path static void share(struct thread *t)
{
    uint32_t chunk = owner_chunk(t->actor.shall_share);
    access_flush(t);
    t->actor.shall_share = 0;
    owner_share(&t->actor.owner, chunk);
}

static void check(struct thread *t, const struct race_access_live *a)
{
    struct race_found found;
    if (thread_ignores(t, a->kind))
        return;
    t->inside++;
    world_enter(t);
    if (a->is_free)
        shadow_free(a->address, a->size, &t->actor, &found);
    else
        shadow_access(a->address, a->size, a->kind, &t->actor, &found);
    access_remember(t, a, &found);
    access_tell(t, a, &found);
    if (unlikely(t->actor.shall_share != 0))
        share(t);
    world_leave(t);
    if (unlikely(++t->checks % 256 == 0) && unlikely(slots_garbage_due()))
        world_sweep_soon(t);
    thread_outside(t);
}

void access_slow(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = likely(thread_self != NULL) ? thread_self : thread_current();
    if (t->inside == 0)
        check(t, &(struct race_access_live){.address = address, .pc = pc, .size = size, .kind = kind});
}

void access_again(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    enum { FEW = 128 };
    if (kind > PLAIN_WRITE || size > FEW || !same_epoch(address, size, kind, thread_now))
        access_slow(address, size, kind, pc);
}

/* --- gathered bytes --- */

/* Bytes next to each other that were accessed at the same place are one access. The next one of the word from
 * `from` on; returns where it ends, or 0: there is none. */
static unsigned next_access(const struct pending *p, enum access_kind kind, unsigned from,
                            struct race_access_live *a)
{
    unsigned mask = pending_mask(p);
    if (mask >> from == 0)
        return 0;
    from += (unsigned)__builtin_ctz(mask >> from);
    unsigned to = from + 1;
    while (mask >> to & 1 && p->pc[to] == p->pc[from] && p->node[to] == p->node[from])
        to++;
    *a = (struct race_access_live){.address = pending_base(p) + from,
                                   .pc = p->pc[from],
                                   .size = to - from,
                                   .kind = kind,
                                   .node_known = true,
                                   .node = p->node[from]};
    return to;
}

static void remember_at(struct thread *t, const struct race_access_live *a)
{
    struct access access = {
        .address = a->address, .pc = a->pc, .size = (uint32_t)a->size, .kind = (uint8_t)a->kind};
    if (a->node == stack_node(t))
        history_add(t, &access);
    else
        history_add_at(t, &access, a->node);
}

/* What thread t has pending. `own`: it is the calling thread, whose actor it always is. */
static void check_pending(struct thread *t, const struct pending *p, enum access_kind kind,
                          struct actor *actor, bool own)
{
    struct race_access_live a;
    for (unsigned from = 0; (from = next_access(p, kind, from, &a)) != 0;) {
        struct race_found found;
        shadow_access(a.address, a.size, a.kind, actor, &found);
        if (own && found.changed > 0)
            remember_at(t, &a);
        access_tell(t, &a, &found);
    }
}

void access_flush_bytes(struct thread *t)
{
    t->inside++;
    world_enter(t);
    for (unsigned kind = PLAIN_READ; kind <= PLAIN_WRITE; kind++) {
        struct pending *checking = &t->checking[kind];
        if (t->pending[kind].bytes == 0)
            continue;
        *checking = t->pending[kind];
        /* before the check, in which somebody may ask for a flush again */
        store_release(&t->pending[kind].bytes, 0);
        check_pending(t, checking, (enum access_kind)kind, &t->actor, true);
        store_release(&checking->bytes, 0);
    }
    world_leave(t);
    thread_outside(t);
}

void access_flush_slow(struct thread *t)
{
    access_flush_bytes(t);
    pieces_flush(t);
}

/* A copy that is whole, of one epoch of its thread, or false: the thread is at it, and will check it itself.
 */
static bool copy_pending(const struct thread *other, const struct pending *from, struct pending *to,
                         uint32_t *now)
{
    *now = load_acquire(&other->actor.now);
    to->bytes = load_acquire(&from->bytes);
    for (unsigned i = 0; i < 4; i++) {
        to->pc[i] = load_acquire(&from->pc[i]);
        to->node[i] = load_acquire(&from->node[i]);
    }
    return to->bytes != 0 && load_acquire(&from->bytes) == to->bytes &&
           load_acquire(&other->actor.now) == *now;
}

/* What is pending was accessed in the epoch and with the clock that its thread still has: it is checked
 * before either changes. If they change while we look, the thread has checked it. */
static void flush_for(struct thread *self, struct thread *other, const struct pending *from,
                      enum access_kind kind, uintptr_t address, size_t size)
{
    struct pending p;
    uint32_t now, own_now = self->actor.now;
    const uint32_t *own_clock = self->actor.clock;
    if (!copy_pending(other, from, &p, &now) || pending_base(&p) - address >= size)
        return;
    self->actor.now = now;
    self->actor.clock = other->clock;
    actor_forget(&self->actor);
    check_pending(other, &p, kind, &self->actor, false);
    self->actor.now = own_now;
    self->actor.clock = own_clock;
    actor_forget(&self->actor);
}

static bool has_pending(const struct thread *t, uintptr_t address, size_t size)
{
    const struct pending *all[] = {&t->pending[0], &t->pending[1], &t->checking[0], &t->checking[1]};
    for (unsigned i = 0; i < array_length(all); i++) {
        uint64_t bytes = load_relaxed(&all[i]->bytes);
        if (bytes != 0 && (bytes >> 4) - address < size)
            return true;
    }
    return false;
}

/* What others have pending of these bytes. */
static void flush_others(struct thread *self, uintptr_t address, size_t size)
{
    access_flush(self);
    self->inside++;
    world_enter(self);
    for (struct thread *t = thread_first(); t != NULL; t = t->next) {
        if (t == self || !t->running)
            continue;
        pieces_take(t, address, size);
        if (!has_pending(t, address, size) || !slots_give(t))
            continue;
        for (unsigned kind = PLAIN_READ; kind <= PLAIN_WRITE; kind++) {
            flush_for(self, t, &t->pending[kind], (enum access_kind)kind, address, size);
            flush_for(self, t, &t->checking[kind], (enum access_kind)kind, address, size);
        }
    }
    world_leave(self);
    thread_outside(self);
}

void access_flush_at(struct thread *self, uintptr_t address, size_t size)
{
    if (self->inside == 0)
        flush_others(self, address, size);
}

void access_flush_others(struct thread *self)
{
    flush_others(self, 0, SIZE_MAX);
}

void access_forked(const struct thread *self)
{
    for (struct thread *t = thread_first(); t != NULL; t = t->next) {
        if (t == self)
            continue;
        for (unsigned kind = PLAIN_READ; kind <= PLAIN_WRITE; kind++)
            t->pending[kind].bytes = t->checking[kind].bytes = 0;
        pieces_forget(t);
    }
}

/* An access that was checked by another thread in its own one's place is in no history. */
static bool find_pending(const struct thread *t, const struct race_found *found, struct access_site *site)
{
    for (unsigned i = 0; found->conflict.kind <= PLAIN_WRITE && i < 2; i++) {
        struct pending p;
        uint32_t now;
        const struct pending *from =
            i == 0 ? &t->pending[found->conflict.kind] : &t->checking[found->conflict.kind];
        uintptr_t byte = found->address & 3;
        if (!copy_pending(t, from, &p, &now) || now != found->conflict.earlier ||
            pending_base(&p) != found->address - byte || !(pending_mask(&p) >> byte & 1))
            continue;
        *site = (struct access_site){.pc = p.pc[byte],
                                     .node = p.node[byte],
                                     .kind = (uint8_t)found->conflict.kind,
                                     .held_known = true,
                                     .held_changes = t->held_changes,
                                     .address = found->address,
                                     .size = 1};
        return true;
    }
    return false;
}

void access_free(uintptr_t address, size_t size, uintptr_t pc)
{
    struct thread *t = thread_current();
    if (t->inside == 0)
        check(t, &(struct race_access_live){
                     .address = address, .pc = pc, .size = size, .kind = PLAIN_WRITE, .is_free = true});
    world_enter(t);
    annotations_forget(address, size);
    world_leave(t);
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
            return write_half(word_state(word, seen));
        uint32_t w = load_acquire(&record->cell[address & 3].w);
        if (likely(load_relaxed(word) == seen)) /* it was this word's record */
            return w;
    }
}

void access_compare(struct thread *t, uintptr_t address, uintptr_t pc)
{
    t->inside++;
    world_enter(t);
    uint32_t w = last_write(address);
    if (unlikely(w != 0 && !half_before(w, t->clock))) {
        struct race_found found = {.conflict = {w, PLAIN_WRITE}, .address = address};
        access_tell(t,
                    &(struct race_access_live){.address = address, .pc = pc, .size = 1, .kind = ATOMIC_READ},
                    &found);
    }
    world_leave(t);
    thread_outside(t);
}

bool access_earlier(const struct race_found *found, const struct thread **by, struct access_site *site)
{
    const struct conflict *c = &found->conflict;
    *by = thread_of_epoch(c->earlier);
    return (*by != NULL && (history_find(*by, c->earlier, found->address, c->kind, site) ||
                            find_pending(*by, found, site))) ||
           lock_last_use(found->address, c->earlier, site);
}

void access_unmapping(uintptr_t address, size_t size, uintptr_t pc)
{
    struct thread *t = thread_current();
    struct race_access_live a = {
        .address = address, .pc = pc, .size = size, .kind = PLAIN_WRITE, .is_free = true};
    struct race_found found;
    if (t->inside == 0 && !thread_ignores(t, PLAIN_WRITE)) {
        flush_others(t, address, size); /* nothing will be left here for them to be compared with */
        t->inside++;
        world_enter(t);
        shadow_check_write(address, size, &t->actor, &found);
        access_tell(t, &a, &found);
        world_leave(t);
        thread_outside(t);
    }
    world_enter(t);
    annotations_forget(address, size);
    world_leave(t);
}
