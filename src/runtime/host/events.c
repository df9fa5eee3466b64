#include "runtime/host/events.h"

#include "runtime/host/recorder.h"
#include "runtime/host/stream.h"
#include "runtime/options.h"

const struct detector *events_detector;
read_mostly struct mem *events_mem;
struct host_thread *events_threads;

under_lock static struct host host;
read_mostly static void *detector; /* its state */
under_lock static uint32_t found;  /* site of the earlier access of the last event's race, or 0 */

/* --- the lock --- */

/* Who holds it, or NULL: one word says both, so that a signal handler knows for certain. */
under_lock static const void *holder;

static const void *self(void)
{
    return thread_self != NULL ? (const void *)thread_self : &holder; /* somebody who is not known yet */
}

void events_enter(void)
{
    const void *me = self(), *seen = NULL;
    for (unsigned tries = 0; unlikely(load_relaxed(&holder) != NULL || !cas_acq_rel(&holder, &seen, me));
         tries++, seen = NULL) {
        if (tries < 64)
            __builtin_ia32_pause();
        else
            sys_yield();
    }
}

void events_leave(void)
{
    store_release(&holder, NULL);
}

bool events_interrupted(void)
{
    return thread_self != NULL && load_relaxed(&holder) == self();
}

/* --- the start --- */

static void on_race(void *unused, const struct race *race)
{
    (void)unused;
    if (found == 0)
        found = (uint32_t)race->first.event;
}

/* --- fork --- */

void host_before_fork(void)
{
    if (events_detector != NULL)
        events_enter();
}

void host_after_fork(void)
{
    if (events_detector != NULL)
        events_leave();
}

void host_after_fork_in_child(void)
{
    if (events_detector == NULL)
        return;
    recorder_forking();
    events_forked();
    events_leave();
}

/* runtime/options.h */
bool host_choose(const char *name)
{
    const struct detector *d = recorder_named(name) != NULL ? recorder_named(name) : detector_named(name);
    if (d == NULL)
        return false;
    host = (struct host){.closed_world = true, .found = on_race};
    events_mem = &host.mem;
    detector = d->create(&host);
    events_detector = d;
    return true;
}

void events_open_world(void)
{
    if (events_detector == NULL)
        return;
    events_enter();
    host.closed_world = false;
    events_leave();
}

/* --- ids --- */

struct ids {
    uint32_t used; /* all below this have been given out */
    uint32_t *free;
    size_t free_count, free_capacity;
    uint32_t *extent; /* as the detector was told */
};

under_lock static struct ids variables = {.extent = &host.extent.variables},
                             rounds = {.extent = &host.extent.rounds}, locks = {.extent = &host.extent.locks};

static void extend_to(uint32_t *extent, uint32_t need)
{
    if (likely(need <= *extent))
        return;
    *extent = need + need / 4 + 64;
    events_detector->extend(detector);
}

static uint32_t take_id(struct ids *ids)
{
    if (ids->free_count > 0)
        return ids->free[--ids->free_count];
    require(ids->used < MOST_IDS);
    extend_to(ids->extent, ids->used + 1);
    return ids->used++;
}

static void give_id(struct ids *ids, uint32_t id)
{
    ids->free =
        mem_reserve(&host.mem, ids->free, sizeof *ids->free, &ids->free_capacity, ids->free_count + 1);
    ids->free[ids->free_count++] = id;
}

/* --- events --- */

static void deliver(const struct event *event, uint32_t number)
{
    events_detector->block(detector, event, 1, number);
}

uint32_t events_access(const struct host_thread *h, uint32_t variable, bool write, uint32_t site)
{
    found = 0;
    deliver(&(struct event){.thread = h->id, .target = variable, .op = write ? OP_WRITE : OP_READ}, site);
    return found;
}

void events_copy(uint32_t from, uint32_t to)
{
    events_detector->copy(detector, from, to);
}

static bool op_releases(enum op op)
{
    return op == OP_BARRIER_IN || op == OP_FORK || op == OP_RELEASE || op == OP_READ_RELEASE;
}

void events_synced(struct host_thread *h, bool released)
{
    store_relaxed(&h->segment, h->segment + 1);
    if (h->stream == NULL)
        return;
    if (likely(h->of == thread_self))
        stream_synced(h->stream, released);
    else
        stream_synced_by_other(h->stream, released);
}

void events_sync(struct host_thread *h, enum op op, uint32_t target, unsigned flags)
{
    if (recorder_on)
        recorder_turns_of(h->stream);
    extend_to(&host.extent.threads, (op == OP_FORK && target > h->id ? target : h->id) + 1);
    deliver(&(struct event){.thread = h->id, .target = target, .op = (uint8_t)op, .flags = (uint8_t)flags},
            1);
    events_synced(h, op_releases(op));
}

void events_drop(enum op op, uint32_t target)
{
    deliver(&(struct event){.target = target, .op = (uint8_t)op, .flags = EVENT_LAST_OUT | EVENT_NOBODY}, 1);
}

uint32_t events_new_variable(void)
{
    return take_id(&variables);
}

void events_give_variable(uint32_t variable)
{
    deliver(&(struct event){.target = variable, .op = OP_ALLOC}, 1);
    give_id(&variables, variable);
}

uint32_t events_new_round(void)
{
    return take_id(&rounds);
}

void events_give_round(uint32_t round)
{
    events_drop(OP_BARRIER_OUT, round);
    give_id(&rounds, round);
}

uint32_t events_new_lock(void)
{
    return take_id(&locks);
}
