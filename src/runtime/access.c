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

hot_inline void begin_check(struct thread *t)
{
    t->inside++;
    world_enter(t);
}

hot_inline void end_check(struct thread *t)
{
    if (unlikely(t->actor.shall_share != 0))
        share(t);
    world_leave(t);
    if (unlikely(++t->checks % 256 == 0) && unlikely(slots_garbage_due()))
        world_sweep_soon(t);
    thread_outside(t);
}

static void check(struct thread *t, const struct race_access_live *a)
{
    struct race_found found;
    if (thread_ignores(t, a->kind))
        return;
    begin_check(t);
    shadow_access(a->address, a->size, a->kind, &t->actor, &found);
    access_remember(t, a, &found);
    access_tell(t, a, &found);
    end_check(t);
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
static unsigned next_access(uint64_t pending, const struct pending_sites *at, enum access_kind kind,
                            unsigned from, struct race_access_live *a)
{
    unsigned mask = pending_mask(pending);
    if (mask >> from == 0)
        return 0;
    from += (unsigned)__builtin_ctz(mask >> from);
    unsigned to = from + 1;
    while (mask >> to & 1 && at->pc[to] == at->pc[from] && at->node[to] == at->node[from])
        to++;
    *a = (struct race_access_live){.address = pending_base(pending) + from,
                                   .pc = at->pc[from],
                                   .size = to - from,
                                   .kind = kind,
                                   .node_known = true,
                                   .node = at->node[from]};
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
static void check_pending(struct thread *t, uint64_t pending, const struct pending_sites *at,
                          enum access_kind kind, struct actor *actor, bool own)
{
    struct race_access_live a;
    for (unsigned from = 0; (from = next_access(pending, at, kind, from, &a)) != 0;) {
        struct race_found found;
        shadow_access(a.address, a.size, a.kind, actor, &found);
        if (own && found.changed > 0)
            remember_at(t, &a);
        access_tell(t, &a, &found);
    }
}

/* The thread is inside: no signal handler adds to it. */
static void flush_word(struct thread *t, unsigned place)
{
    unsigned kind = place / PENDING_WORDS, checking = CHECKING + kind;
    uint64_t pending = t->pending[place];
    if (pending == 0)
        return;
    t->sites[checking] = t->sites[place];
    store_release(&t->pending[checking], pending);
    /* before the check, in which somebody may ask for a flush again */
    store_release(&t->pending[place], 0);
    check_pending(t, pending, &t->sites[checking], (enum access_kind)kind, &t->actor, true);
    store_release(&t->pending[checking], 0);
}

void access_flush_word(struct thread *t, unsigned place)
{
    t->inside++;
    world_enter(t);
    flush_word(t, place);
    world_leave(t);
    thread_outside(t);
}

static void flush_bytes(struct thread *t)
{
    t->inside++;
    world_enter(t);
    for (unsigned place = 0; place < CHECKING; place++)
        flush_word(t, place);
    world_leave(t);
    thread_outside(t);
}

void access_flush_slow(struct thread *t)
{
    if (pending_any(t))
        flush_bytes(t);
    pieces_flush(t);
}

/* A copy that is whole, of one epoch of its thread, or false: the thread is at it, and will check it itself.
 */
static bool copy_pending(const struct thread *other, unsigned place, uint64_t *pending,
                         struct pending_sites *at, uint32_t *now)
{
    *now = load_acquire(&other->actor.now);
    *pending = load_acquire(&other->pending[place]);
    for (unsigned i = 0; i < 4; i++) {
        at->pc[i] = load_acquire(&other->sites[place].pc[i]);
        at->node[i] = load_acquire(&other->sites[place].node[i]);
    }
    return *pending != 0 && load_acquire(&other->pending[place]) == *pending &&
           load_acquire(&other->actor.now) == *now;
}

static enum access_kind pending_kind(unsigned place)
{
    return (enum access_kind)(place < CHECKING ? place / PENDING_WORDS : place - CHECKING);
}

/* What is pending was accessed in the epoch and with the clock that its thread still has: it is checked
 * before either changes. If they change while we look, the thread has checked it. */
static void flush_for(struct thread *self, struct thread *other, unsigned place, uintptr_t address,
                      size_t size)
{
    struct pending_sites at;
    uint64_t pending;
    uint32_t now, own_now = self->actor.now;
    const uint32_t *own_clock = self->actor.clock;
    if (!copy_pending(other, place, &pending, &at, &now) || pending_base(pending) - address >= size)
        return;
    self->actor.now = now;
    self->actor.clock = other->clock;
    actor_forget(&self->actor);
    check_pending(other, pending, &at, pending_kind(place), &self->actor, false);
    self->actor.now = own_now;
    self->actor.clock = own_clock;
    actor_forget(&self->actor);
}

static bool has_pending(const struct thread *t, uintptr_t address, size_t size)
{
    for (unsigned place = 0; place < PENDING_PLACES; place++) {
        uint64_t pending = load_relaxed(&t->pending[place]);
        if (pending != 0 && pending_base(pending) - address < size)
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
        for (unsigned place = 0; place < PENDING_PLACES; place++)
            flush_for(self, t, place, address, size);
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
        __builtin_memset(t->pending, 0, sizeof t->pending);
        pieces_forget(t);
    }
}

/* An access that was checked by another thread in its own one's place is in no history. */
static bool find_pending(const struct thread *t, const struct race_found *found, struct access_site *site)
{
    for (unsigned place = 0; place < PENDING_PLACES; place++) {
        struct pending_sites at;
        uint64_t pending;
        uint32_t now;
        uintptr_t byte = found->address & 3;
        if (pending_kind(place) != found->conflict.kind ||
            !copy_pending(t, place, &pending, &at, &now) || now != found->conflict.earlier ||
            pending_base(pending) != found->address - byte || !(pending_mask(pending) >> byte & 1))
            continue;
        *site = (struct access_site){.pc = at.pc[byte],
                                     .node = at.node[byte],
                                     .kind = (uint8_t)found->conflict.kind,
                                     .held_known = true,
                                     .held_changes = t->held_changes,
                                     .address = found->address,
                                     .size = 1};
        return true;
    }
    return false;
}

/* --- free() --- */

cold_path static void tell_free(struct thread *t, uintptr_t address, size_t size, uintptr_t pc,
                                const struct race_found *found)
{
    struct race_access_live a = {
        .address = address, .pc = pc, .size = size, .kind = PLAIN_WRITE, .is_free = true};
    access_tell(t, &a, found);
}

hot_inline void check_free(struct thread *t, uintptr_t address, size_t size, uintptr_t pc)
{
    struct race_found found;
    begin_check(t);
    shadow_free(address, size, &t->actor, &found);
    history_add(t, &(struct access){.address = address,
                                    .pc = pc,
                                    .size = (uint32_t)size,
                                    .kind = PLAIN_WRITE,
                                    .is_free = true});
    if (unlikely(found.conflict.earlier != 0))
        tell_free(t, address, size, pc, &found);
    annotations_forget(address, size);
    end_check(t);
}

void access_free(uintptr_t address, size_t size, uintptr_t pc)
{
    struct thread *t = thread_self;
    if (unlikely(t == NULL || access_waits(t)))
        t = thread_current();
    if (likely(t->inside == 0) && !thread_ignores(t, PLAIN_WRITE)) {
        check_free(t, address, size, pc);
        return;
    }
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
