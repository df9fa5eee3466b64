#include "runtime/access.h"

#include "base/count.h"
#include "runtime/annotations.h"
#include "runtime/history.h"
#include "runtime/intercept/lock.h"
#include "runtime/past_sync.h"
#include "runtime/single_threaded.h"
#include "runtime/slots.h"
#include "runtime/stack.h"
#include "runtime/world.h"
#include "shadow/atomic.h"
#include "shadow/freed.h"
#include "shadow/same_epoch.h"

void access_remember(struct thread *t, const struct race_access_live *a, const struct race_found *found)
{
    if (found->changed > 0)
        history_add(t, &(struct access){.address = a->address,
                                        .pc = a->pc,
                                        .size = (uint32_t)min_size(a->size, UINT32_MAX),
                                        .kind = (uint8_t)a->kind,
                                        .is_free = a->is_free});
}

void access_tell(struct thread *t, const struct race_access_live *a, const struct race_found *found)
{
    if (unlikely(found->conflict.earlier != 0) && !annotations_benign(found->address))
        report_race(t, a, found);
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
    const struct race_access_live a = {.address = address, .pc = pc, .size = size, .kind = PLAIN_WRITE};
    struct thread *t = likely(thread_self != NULL) ? thread_self : thread_current();
    if (t->inside != 0 || thread_ignores(t, a.kind) || single_threaded_access(t))
        return;
    begin_check(t);
    shadow_write_fresh(address, size, t->actor.now);
    access_remember(t, &a, &(struct race_found){.changed = 1});
    end_check(t);
}

void access_again(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    count(LIBC);
    if (likely(kind <= PLAIN_WRITE))
        access_few(address, size, kind, pc);
    else
        access_slow(address, size, kind, pc);
}

cold_path void access_met_free(struct thread *t, const struct race_access_live *a)
{
    struct race_found found = {0};
    for (uintptr_t at = a->address; at < a->address + a->size; at += 4) {
        const uint64_t *word = shadow_of(at);
        uint32_t freed = freed_when(word);
        freed_mark(word);
        if (freed != 0 && !half_before(freed, t->clock))
            note(&found, (struct conflict){freed, PLAIN_WRITE}, at);
    }
    t->inside++;
    world_enter(t);
    access_tell(t, a, &found);
    access_end_check(t);
}

void access_forked(const struct thread *self)
{
    (void)self;
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
    struct thread *t = thread_current();
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
    uint64_t *word = shadow_of(address);
    for (;;) {
        uint64_t seen = load_acquire(word);
        uniform_where(word, &seen);
        if (!word_expanded(seen))
            return write_half(word_state(word, seen));
        uint32_t w = BUSY;
        if (word_mixed(seen))
            mixed_break(word);
        if (word_recorded(seen))
            w = load_acquire(&record_at(seen)->cell[address & 3].w);
        else if (word_paged(seen))
            w = write_half(load_acquire(&byte_cells(seen)[address & 3]));
        if (w & NARROW_TAG) {
            sys_yield(); /* the word or the cell is changing */
            continue;
        }
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
    if (unlikely(!gate_enter(&t->actor.gate)))
        return false;
    uint64_t seen = load_acquire(word);
    if (likely(word_recorded(seen))) {
        uint32_t w = load_acquire(&record_at(seen)->cell[address & 3].w);
        follows = likely(w == 0 || half_before(w, t->clock)) && likely(load_relaxed(word) == seen);
    }
    gate_leave(&t->actor.gate);
    return follows;
}

void access_compare(struct thread *t, uintptr_t address, uintptr_t pc)
{
    if (likely(follows_last_write(t, address)))
        return;
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

/* --- the use of a sync object --- */

/* Without the lock of its record (shadow/atomic.h): by a thread that has used it before. */
static bool use_noted(struct thread *t, const struct race_access_live *a, bool listed)
{
    const struct race_found changed = {.changed = 1};
    struct glance g;
    bool noted = false;
    if (unlikely(!gate_enter(&t->actor.gate)))
        return false;
    if (likely(glance_begin(&g, a->address))) {
        enum glance_answer answer = glance_look(&g, a->address, a->size, a->kind, &t->actor);
        if (answer == GLANCE_MAY && !listed)
            access_remember(t, a, &changed); /* first: a thread that sees the note must find the entry */
        noted =
            answer == GLANCE_MAY ? glance_note(&g, t->actor.now) : answer == GLANCE_NOTED && glance_holds(&g);
    }
    gate_leave(&t->actor.gate);
    return noted;
}

void access_use(struct thread *t, uintptr_t address, bool listed, uintptr_t pc)
{
    const struct race_access_live a = {.address = address, .pc = pc, .size = 1, .kind = ATOMIC_READ};
    struct race_found found;
    begin_check(t);
    if (!use_noted(t, &a, listed)) {
        struct record *record = atomic_lock(address);
        shadow_atomic(record, address, a.size, a.kind, &t->actor, &found);
        record_unlock(record);
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
        if (history_find(by, there.conflict.earlier, there.address, there.conflict.kind, site)) {
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
