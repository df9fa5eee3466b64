#include "runtime/access.h"

#include "base/count.h"
#include "runtime/annotations.h"
#include "runtime/history.h"
#include "runtime/intercept/lock.h"
#include "runtime/past_sync.h"
#include "runtime/pieces.h"
#include "runtime/single_threaded.h"
#include "runtime/slots.h"
#include "runtime/stack.h"
#include "runtime/world.h"
#include "shadow/atomic.h"
#include "shadow/freed.h"
#include "shadow/frozen.h"
#include "shadow/same_epoch.h"
#include "shadow/uniform.h"

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
    t->actor.shall_share = 0;
    access_flush(t);
    owner_share(&t->actor.owner, chunk);
}

/* Shared chunks had better be leased. */
cold_path static void unshare(struct thread *t)
{
    t->actor.shall_unshare = false;
    world_unshare_soon(t);
}

hot_inline void begin_check(struct thread *t)
{
    t->inside++;
    world_enter(t);
}

/* Records and sync objects whose memory was freed are found by sweeping. */
hot_inline void collect_garbage(struct thread *t)
{
    if (unlikely(++t->checks % 256 == 0) && unlikely(slots_garbage_due()))
        world_sweep_soon(t);
}

hot_inline void end_check(struct thread *t)
{
    if (unlikely(t->actor.shall_share != 0))
        share(t);
    if (unlikely(t->actor.shall_unshare))
        unshare(t);
    world_leave(t);
    collect_garbage(t);
    thread_outside(t);
}

void access_end_check(struct thread *t)
{
    end_check(t);
}

static void check(struct thread *t, const struct race_access_live *a)
{
    struct race_found found;
    if (thread_ignores(t, a->kind))
        return;
    count(SLOW);
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

void access_fresh(uintptr_t address, size_t size, uintptr_t pc)
{
    struct thread *t = likely(thread_self != NULL) ? thread_self : thread_current();
    if (!single_threaded_access(t))
        access_slow(address, size, PLAIN_WRITE, pc);
}

/* --- what libc's functions read: a few bytes, strings mostly ---
 *
 * Names are compared again and again, each time up to the first difference. What a thread has read in this
 * epoch it finds in a table of its own; in the next epoch, in memory that others read as well, by a look at
 * each word. */

enum { FEW_BYTES = 128 };

static struct read_string *string_at(struct thread *t, uintptr_t address)
{
    return &t->strings[(address >> 3 ^ address >> 11) % STRINGS_READ];
}

/* How many bytes from there on it has read in this epoch and era. A signal handler may use the same place:
 * `what` is written last, and looked at first and last. */
static size_t string_known(const struct read_string *at, uintptr_t address, uint64_t now)
{
    uint64_t what = load_relaxed(&at->what);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    bool known = what >> 8 == address && load_relaxed(&at->when) == now;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return known && likely(load_relaxed(&at->what) == what) ? what & 0xff : 0;
}

static void string_note(struct read_string *at, uintptr_t address, size_t size, uint64_t now)
{
    store_relaxed(&at->what, 0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    store_relaxed(&at->when, now);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    store_relaxed(&at->what, (uint64_t)address << 8 | size);
}

/* In a frozen chunk, where the thread is announced. */
static bool read_noted(struct thread *t, uintptr_t address, size_t size, uint32_t *changed)
{
    struct notes *notes = frozen_notes(&t->actor, owner_chunk(address));
    return notes != NULL && notes->bytes != NULL &&
           frozen_read_bytes(notes, address, size, &t->actor, changed);
}

bool access_among_others(struct thread *t, uintptr_t address, size_t size, size_t known, uintptr_t pc)
{
    uint32_t chunk = owner_chunk(address), changed = 0;
    if (unlikely(t == NULL || t->inside != 0) || thread_ignores(t, PLAIN_READ) ||
        unlikely(owner_chunk(address + size - 1) != chunk))
        return false;
    uint32_t owner = owner_announce(&t->actor.owner, chunk);
    bool done = false;
    if (unlikely(load_relaxed(&t->actor.owner.quick_shared) != OWNER_SHARED))
        done = false;
    else if (owner == OWNER_SHARED)
        done = shadow_read_few(address + known, size - known, &t->actor, &changed);
    else if (owner == OWNER_FROZEN)
        done = read_noted(t, address + known, size - known, &changed);
    owner_leave(&t->actor.owner);
    if (changed > 0)
        history_add(
            t, &(struct access){.address = address, .pc = pc, .size = (uint32_t)size, .kind = PLAIN_READ});
    return done;
}

static void read_string(struct thread *t, uintptr_t address, size_t size, uintptr_t pc)
{
    struct read_string *at = string_at(t, address);
    uint64_t now = checked_now(t);
    size_t known = string_known(at, address, now);
    if (size <= known)
        return;
    if (!access_among_others(t, address, size, known, pc) &&
        !same_epoch(address, size, PLAIN_READ, t->actor.now))
        access_slow(address, size, PLAIN_READ, pc);
    string_note(at, address, size, now);
}

void access_again(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    count(LIBC);
    if (likely(t != NULL) && single_threaded_access(t))
        return;
    if (kind == PLAIN_READ && size <= FEW_BYTES && likely(t != NULL && t->inside == 0) &&
        !thread_ignores(t, kind))
        read_string(t, address, size, pc);
    else if (kind > PLAIN_WRITE || size > FEW_BYTES || !same_epoch(address, size, kind, thread_now))
        access_slow(address, size, kind, pc);
}

/* --- what waits --- */

void access_flush_slow(struct thread *t)
{
    if (gather_any(t))
        gather_flush(t);
    pieces_flush(t);
}

/* What others have pending of these bytes. */
static void flush_others(struct thread *self, uintptr_t address, size_t size)
{
    access_flush(self);
    self->inside++;
    world_enter(self);
    for (struct thread *t = thread_first_waiting(); t != NULL; t = t->next_waiting) {
        if (t == self)
            continue;
        pieces_take(t, address, size);
        gather_take(self, t, address, size);
    }
    world_leave(self);
    thread_outside(self);
}

/* May something of others wait there? A lease that is over has nothing. */
static bool may_wait(uintptr_t address, size_t size)
{
    enum { FEW = 8 };
    uint32_t first = owner_chunk(address), last = owner_chunk(address + size - 1);
    bool may = last - first >= FEW;
    for (uint32_t chunk = first; !may && chunk != last + 1; chunk++)
        may = has_waited(chunk) || !(owner_is_all(load_acquire(&owner_table[chunk])) || owner_is_left(chunk));
    return may;
}

void access_flush_block_slow(struct thread *self, uintptr_t address, size_t size)
{
    if (!may_wait(address, size))
        return;
    for (struct thread *t = thread_first_waiting(); t != NULL; t = t->next_waiting) {
        if (t == self)
            continue;
        if (unlikely(pieces_wait(t, address, size)))
            pieces_take(t, address, size);
        if (unlikely(gather_has(t, address, size)))
            gather_take(self, t, address, size);
    }
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
    for (struct thread *t = thread_first_waiting(); t != NULL; t = t->next_waiting) {
        if (t == self)
            continue;
        gather_forget(t);
        pieces_forget(t);
    }
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
    history_add(
        t, &(struct access){
               .address = address, .pc = pc, .size = (uint32_t)size, .kind = PLAIN_WRITE, .is_free = true});
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
    t->era++; /* it may come back from another thread, with nothing of this one's checks in its shadow */
    if (likely(t->inside == 0) && !thread_ignores(t, PLAIN_WRITE)) {
        check_free(t, address, size, pc);
        return;
    }
    world_enter(t);
    annotations_forget(address, size);
    world_leave(t);
    collect_garbage(t);
}

/* --- without remembering --- */

/* The last plain write of a byte, as a half. */
static uint32_t last_write(uintptr_t address)
{
    const uint64_t *word = shadow_of(address);
    for (;;) {
        uint64_t seen = load_acquire(word);
        const struct record *record = record_peek(&seen);
        if (!word_expanded(seen))
            return write_half(word_state(word, seen));
        uint32_t w = record != NULL ? load_acquire(&record->cell[address & 3].w)
                                    : write_half(load_acquire(&byte_cells(word)[address & 3]));
        if (likely(load_relaxed(word) == seen)) /* it was this word's record */
            return w;
    }
}

/* Most such objects are locks, whose word has a record: without entering the world. False: not so, or the write
 * is not ordered before. */
static bool follows_last_write(struct thread *t, uintptr_t address)
{
    const uint64_t *word = shadow_of(address);
    bool follows = false;
    if (unlikely(!owner_look(&t->actor.owner)))
        return false;
    uint64_t seen = load_acquire(word);
    if (likely(word_recorded(seen))) {
        uint32_t w = load_acquire(&record_at(seen)->cell[address & 3].w);
        follows = likely(w == 0 || half_before(w, t->clock)) && likely(load_relaxed(word) == seen);
    }
    owner_leave(&t->actor.owner);
    return follows;
}

void access_compare(struct thread *t, uintptr_t address, uintptr_t pc)
{
    if (likely(follows_last_write(t, address)))
        return;
    t->inside++;
    world_enter(t);
    if (unlikely(load_relaxed(&owner_table[owner_chunk(address)]) == OWNER_UNIFORM))
        uniform_end(owner_chunk(address));
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

/* --- the use of a sync object --- */

/* Without the lock of its record (shadow/atomic.h): by a thread that has used it before. */
static bool use_noted(struct thread *t, const struct race_access_live *a, bool listed)
{
    const struct race_found changed = {.changed = 1};
    struct glance g;
    bool noted = false;
    if (unlikely(!owner_look(&t->actor.owner)))
        return false;
    if (likely(glance_begin(&g, a->address))) {
        enum glance_answer answer = glance_look(&g, a->address, a->size, a->kind, &t->actor);
        if (answer == GLANCE_MAY && !listed)
            access_remember(t, a, &changed); /* first: who sees the note finds the entry */
        noted =
            answer == GLANCE_MAY ? glance_note(&g, t->actor.now) : answer == GLANCE_NOTED && glance_holds(&g);
    }
    owner_leave(&t->actor.owner);
    return noted;
}

void access_use(struct thread *t, uintptr_t address, bool listed, uintptr_t pc)
{
    const struct race_access_live a = {.address = address, .pc = pc, .size = 1, .kind = ATOMIC_READ};
    struct race_found found;
    bool own;
    begin_check(t);
    if (!use_noted(t, &a, listed)) {
        struct record *record = atomic_lock(address, a.size, &t->actor, &own);
        shadow_atomic(record, address, a.size, a.kind, &t->actor, &found);
        record_unlock(record);
        owner_end(&t->actor.owner, own);
        if (!listed)
            access_remember(t, &a, &found);
        access_tell(t, &a, &found);
    }
    end_check(t);
}

static bool find_earlier(const struct thread *by, const struct race_found *found, struct access_site *site)
{
    struct race_found there = *found;
    uint64_t move = UINT64_MAX;
    do {
        if (history_find(by, there.conflict.earlier, there.address, there.conflict.kind, site) ||
            gather_find(by, &there, site)) {
            site->address += found->address - there.address;
            return true;
        }
    } while (history_before(&move, &there.address));
    return false;
}

static bool find_now(const struct thread *by, const struct race_found *found, struct access_site *site)
{
    return (by != NULL && find_earlier(by, found, site)) ||
           lock_last_use(found->address, found->conflict.earlier, site) ||
           (by != NULL && past_sync_find(by, found->address, found->conflict.earlier, site));
}

/* A thread changes the shadow first and makes the entry next, waiting for nobody in between: a reporter may
 * be there before the entry is. It waits, if only for a while: the thread may be in a debugger's hands. */
static bool find_soon(const struct thread *by, const struct race_found *found,
                      const struct history_mark *mark, struct access_site *site)
{
    enum { QUICK_TURNS = 20, TURNS = 200 };
    const struct timespec millisecond = {.tv_nsec = 1000000};
    bool known = false, may_come = true;
    for (int turn = 0; !known && may_come && turn < (mark->whole ? TURNS : QUICK_TURNS); turn++) {
        if (turn < QUICK_TURNS)
            sys_call3(SYS_sched_yield, 0, 0, 0);
        else
            sys_call3(SYS_nanosleep, (long)&millisecond, 0, 0);
        may_come = history_may_come(by, mark); /* if not, it has come */
        known = find_now(by, found, site);
    }
    return known;
}

bool access_earlier(const struct race_found *found, const struct thread **by, struct access_site *site)
{
    const struct thread *t = *by = thread_of_epoch(found->conflict.earlier);
    if (t == NULL)
        return find_now(t, found, site);
    struct history_mark mark = history_mark(t, found->conflict.earlier);
    return find_now(t, found, site) || find_soon(t, found, &mark, site);
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
