/* runtime/access.h on the generic host, and the memory's part of it.
 *
 * A precise detector need not be told of an access again in the same segment of its thread (what lies between
 * two synchronization events), nor of a read after a write: whatever it could race with later, the first one
 * races with, and whatever it could have raced with since has raced with the first one. Such accesses are
 * remembered in the thread and go without the lock. Clearing any memory forgets them.
 */
#include "runtime/host/access.h"

#include "runtime/annotations.h"
#include "runtime/host/memory.h"
#include "runtime/host/recorder.h"
#include "runtime/host/sites.h"
#include "runtime/host/stream.h"
#include "runtime/stack.h"

/* --- one access --- */

struct step {
    const struct host_thread *h;
    enum access_kind kind;
    uint32_t site;
    struct race_found *found;
};

static void note_race(struct step *s, uint32_t earlier, uintptr_t address)
{
    if (likely(earlier == 0) || s->found->conflict.earlier != 0)
        return;
    s->found->conflict = (struct conflict){earlier, (enum access_kind)sites_at(earlier)->kind};
    s->found->address = address;
}

static uint32_t made(uint32_t *variable)
{
    if (*variable == 0)
        *variable = events_new_variable() + 1;
    return *variable - 1;
}

static void record(struct step *s, uint32_t *variable, bool write, uintptr_t address)
{
    note_race(s, events_access(s->h, made(variable), write, s->site), address);
}

/* On a copy that is dropped again. */
static void try_access(struct step *s, uint32_t variable, bool write, uintptr_t address)
{
    if (variable == 0)
        return;
    uint32_t copy = events_new_variable();
    events_copy(variable - 1, copy);
    note_race(s, events_access(s->h, copy, write, s->site), address);
    events_give_variable(copy);
}

static void write_and_drop(struct step *s, uint32_t *variable, uintptr_t address)
{
    if (*variable == 0)
        return;
    record(s, variable, true, address);
    events_give_variable(*variable - 1);
    *variable = 0;
}

/* The table of host/memory.h. */
static void access_piece(void *context, struct piece *p, uintptr_t address)
{
    struct step *s = context;
    switch (s->kind) {
    case PLAIN_READ:
        record(s, &p->plain, false, address);
        try_access(s, p->stored, true, address);
        break;
    case PLAIN_WRITE:
        record(s, &p->plain, true, address);
        write_and_drop(s, &p->stored, address);
        write_and_drop(s, &p->loaded, address);
        break;
    case ATOMIC_WRITE:
        try_access(s, p->plain, true, address);
        record(s, &p->stored, false, address);
        break;
    case ATOMIC_READ:
        if (p->loaded == 0 && p->plain != 0)
            events_copy(p->plain - 1, made(&p->loaded));
        record(s, &p->loaded, false, address);
        break;
    }
}

/* `make`: also of bytes that nobody has accessed before. */
static void access_bytes(struct thread *t, const struct race_access_live *a, bool make,
                         struct race_found *found)
{
    *found = (struct race_found){0};
    if (thread_ignores(t, a->kind))
        return;
    if (recorder_chosen) {
        if (recorder_on)
            recorder_access(t, a, !make);
        return;
    }
    if (!events_detector->precise && a->kind > PLAIN_WRITE)
        return; /* atomic variables need no lock: nothing for a detector of locking disciplines */
    struct step s = {
        .h = t->host, .kind = a->kind, .site = sites_number(t, stack_node(t), a), .found = found};
    memory_each(a->address, a->size, make, access_piece, &s);
}

void access_event(struct thread *t, const struct race_access_live *a, struct race_found *found)
{
    access_bytes(t, a, true, found);
}

/* --- accesses that were told of --- */

static struct recent_access *recent_of(struct host_thread *h, const struct race_access_live *a, bool write)
{
    return &h->recent[write][(a->address ^ a->address >> 8 ^ a->size << 4) % RECENT];
}

static bool is_recent(struct host_thread *h, const struct race_access_live *a, bool write)
{
    const struct recent_access *r = recent_of(h, a, write);
    return r->address == a->address && r->size == a->size && r->segment == load_relaxed(&h->segment) &&
           r->clears == load_acquire(&memory_clears);
}

static bool was_told(struct host_thread *h, const struct race_access_live *a)
{
    return events_detector->precise && !a->is_free &&
           (is_recent(h, a, true) || (a->kind == PLAIN_READ && is_recent(h, a, false)));
}

/* Of atomic accesses nothing is kept: they conflict with less than plain ones do. */
static void note_told(struct host_thread *h, const struct race_access_live *a)
{
    if (a->kind > PLAIN_WRITE)
        return;
    *recent_of(h, a, a->kind == PLAIN_WRITE) =
        (struct recent_access){a->address, a->size, h->segment, load_relaxed(&memory_clears)};
}

/* --- runtime/access.h --- */

void access_tell(struct thread *t, const struct race_access_live *a, const struct race_found *found)
{
    if (unlikely(found->conflict.earlier != 0) && !annotations_benign(found->address))
        report_race(t, a, found);
}

/* What is plain goes to the stream, if there is one. */
static void check(struct thread *t, const struct race_access_live *a)
{
    struct race_found found;
    if (recorder_chosen && a->kind <= PLAIN_WRITE && (t->host->stream != NULL || !a->is_free)) {
        if (t->host->stream != NULL)
            stream_access(t, a);
        return;
    }
    if (thread_ignores(t, a->kind) || was_told(t->host, a))
        return;
    t->inside++;
    events_enter();
    access_event(t, a, &found);
    note_told(t->host, a);
    events_leave();
    access_tell(t, a, &found);
    thread_outside(t);
}

void access_slow(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = likely(thread_self != NULL) ? thread_self : thread_current();
    if (t->inside == 0)
        check(t, &(struct race_access_live){.address = address, .pc = pc, .size = size, .kind = kind});
}

void access_fresh(uintptr_t address, size_t size, uintptr_t pc)
{
    access_slow(address, size, PLAIN_WRITE, pc);
}

void access_again(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    access_slow(address, size, kind, pc);
}

void access_free(uintptr_t address, size_t size, uintptr_t pc)
{
    struct thread *t = thread_current();
    if (t->inside == 0)
        check(t, &(struct race_access_live){
                     .address = address, .pc = pc, .size = size, .kind = PLAIN_WRITE, .is_free = true});
    annotations_forget(address, size);
}

/* Its memory is forgotten next: nobody can race with the write any more. */
void access_unmapping(uintptr_t address, size_t size, uintptr_t pc)
{
    struct thread *t = thread_current();
    struct race_access_live a = {
        .address = address, .pc = pc, .size = size, .kind = PLAIN_WRITE, .is_free = true};
    struct race_found found;
    if (t->inside == 0) {
        t->inside++;
        events_enter();
        access_bytes(t, &a, false, &found);
        events_leave();
        access_tell(t, &a, &found);
        thread_outside(t);
    }
    annotations_forget(address, size);
}

void access_forked(const struct thread *self)
{
    (void)self;
    recorder_forked();
}

void access_compare(struct thread *t, uintptr_t address, uintptr_t pc)
{
    struct race_access_live a = {.address = address, .pc = pc, .size = 1, .kind = ATOMIC_READ};
    struct race_found found = {0};
    if (recorder_chosen && t->host->stream != NULL)
        stream_compare(t, address, pc);
    if (recorder_chosen || !events_detector->precise)
        return;
    t->inside++;
    events_enter();
    const struct piece *p = memory_find(address);
    if (p != NULL) {
        struct step s = {
            .h = t->host, .kind = a.kind, .site = sites_number(t, stack_node(t), &a), .found = &found};
        try_access(&s, p->plain, false, address);
    }
    events_leave();
    access_tell(t, &a, &found);
    thread_outside(t);
}

void access_use(struct thread *t, uintptr_t address, bool listed, uintptr_t pc)
{
    (void)listed;
    check(t, &(struct race_access_live){.address = address, .pc = pc, .size = 1, .kind = ATOMIC_READ});
}

bool access_earlier(const struct race_found *found, const struct thread **by, struct access_site *site)
{
    events_enter();
    struct site s = *sites_at(found->conflict.earlier);
    events_leave();
    *by = events_thread(s.thread);
    sites_tell(&s, found->address, site);
    return true;
}
