#include "runtime/host/recorder.h"

#include "runtime/annotations.h"
#include "runtime/channel.h"
#include "runtime/host/blocks.h"
#include "runtime/host/memory.h"
#include "runtime/host/posts.h"
#include "runtime/host/stream.h"
#include "runtime/init.h"
#include "runtime/intercept/memory.h"
#include "runtime/stack.h"

_Static_assert((int)TAPE_READ == PLAIN_READ && (int)TAPE_WRITE == PLAIN_WRITE &&
                   (int)TAPE_ATOMIC_READ == ATOMIC_READ && (int)TAPE_ATOMIC_WRITE == ATOMIC_WRITE,
               "kinds go to the tape as they are");

read_mostly bool recorder_chosen, recorder_on, recorder_repeats;
read_mostly uint32_t recorder_tape;

under_lock static struct tape_pen spine = {.stream = TAPE_SPINE};
under_lock static uint64_t latest;  /* record of the spine; read by anybody */
under_lock static uint64_t last;    /* address in this block of it */
under_lock static uint32_t dropped; /* id + 1 of what was posted; 0: none. What a lock had before is often
                            dropped, and the id at once used again for what it has now */
static long owner;                  /* the process whose tape it is; 0: there never was one */

/* --- the tape --- */

static long process(void)
{
    return sys_call3(SYS_getpid, 0, 0, 0);
}

static void start(void)
{
    owner = process();
    recorder_tape++;
    spine = (struct tape_pen){.stream = TAPE_SPINE};
    latest = dropped = 0;
    recorder_sites_again();
    hints_start();
    recorder_on = blocks_start();
}

void recorder_stop(void)
{
    store_relaxed(&recorder_on, false);
}

bool recorder_room(struct tape_pen *pen, size_t size, uint64_t first)
{
    if (pen_has_room(pen, size))
        return true;
    if (recorder_on && blocks_next(pen, first) == BLOCKS_GOOD)
        return true;
    recorder_stop();
    return false;
}

uint64_t recorder_latest(void)
{
    return load_acquire(&latest);
}

static void put(enum tape_op op, unsigned how, uint32_t thread, uint64_t a, uint64_t b, uint64_t c)
{
    if (unlikely(!recorder_on || !recorder_room(&spine, TAPE_MOST_RECORD, latest + 1)))
        return;
    uint8_t *at = spine.at;
    if (at == spine.begin)
        last = 0;
    *at++ = (uint8_t)((unsigned)op | how << TAPE_HOW_SHIFT);
    if (tape_fields[op].thread)
        at = pen_varint(at, thread);
    if (tape_fields[op].count > 0)
        at = pen_varint(at, tape_fields[op].near ? pen_distance(&last, a) : a);
    if (tape_fields[op].count > 1)
        at = pen_varint(at, b);
    if (tape_fields[op].count > 2)
        at = pen_varint(at, c);
    pen_written(&spine, at, op == TAPE_ACCESS || op == TAPE_TAKE);
    store_release(&latest, latest + 1);
}

void recorder_turns_of_lock(const struct host_sync *s)
{
    put(TAPE_TURN, 0, 0, s->lock - 1, s->turns.given, 0);
}

void recorder_turns_of(struct stream *s)
{
    uint64_t turns = s != NULL ? load_acquire(&s->turns) : 0;
    if (likely(turns == 0 || turns == s->turns_told))
        return;
    s->turns_told = turns;
    put(TAPE_TURN, 1, s->pen.thread, turns, 0, 0);
}

/* --- accesses and memory --- */

/* Programs name an object by its first byte: what is behind a benign byte, in the same 8, is benign with it.
 */
static uintptr_t first_benign(uintptr_t from, uintptr_t to)
{
    while (from < to && !annotations_benign(from))
        from++;
    return from;
}

struct recorder_place recorder_place(struct thread *t, const struct race_access_live *a)
{
    if (likely(!a->is_free))
        return (struct recorder_place){a->pc, stack_node(t)};
    return (struct recorder_place){memory_freed_by(t) + 1, stack_node_with(t, a->pc)};
}

static uint32_t site_at(const struct thread *t, struct recorder_place p)
{
    return t->host->stream != NULL ? stream_site_locked(t->host->stream, p.pc, p.node)
                                   : recorder_site_locked(p.pc, p.node, 0);
}

static uint32_t site_of(struct thread *t, uintptr_t pc)
{
    return site_at(t, (struct recorder_place){pc, stack_node(t)});
}

static void put_access(struct thread *t, const struct race_access_live *a, bool known_only)
{
    uint32_t site = site_at(t, recorder_place(t, a));
    unsigned how = (unsigned)a->kind | (known_only ? TAPE_KNOWN_ONLY : 0);
    uintptr_t from = a->address, to = a->address + a->size;
    if (likely(!annotations_any_benign())) {
        put(TAPE_ACCESS, how, t->id, from, site, a->size);
        return;
    }
    for (uintptr_t stop; from < to; from = stop) {
        stop = (from | 7) + 1 < to ? (from | 7) + 1 : to;
        uintptr_t end = first_benign(from, stop);
        if (end > from)
            put(TAPE_ACCESS, how, t->id, from, site, end - from);
    }
}

void recorder_access(struct thread *t, const struct race_access_live *a, bool known_only)
{
    struct stream *stream = t->host->stream;
    if (!tape_is_access(a->address, a->size) ||
        (stream != NULL && stream_repeats_atomic(stream, a, stream_clears)))
        return;
    recorder_turns_of(stream);
    put_access(t, a, known_only);
    if (stream != NULL)
        stream->accessed = latest;
}

void recorder_compare(struct thread *t, uintptr_t address, uintptr_t pc)
{
    struct stream *stream = t->host->stream;
    if (!tape_is_access(address, 1))
        return;
    recorder_turns_of(stream);
    put(TAPE_COMPARE, 0, t->id, address, site_of(t, pc), 0);
    if (stream != NULL)
        stream->accessed = latest;
}

void recorder_clear(uintptr_t address, size_t size)
{
    if (!tape_is_memory(address, size))
        return;
    put(TAPE_CLEAR, 0, 0, address, size, 0);
    stream_cleared(address, size);
}

void recorder_move(uintptr_t from, uintptr_t to, size_t size)
{
    put(TAPE_MOVE, 0, 0, from, to, size);
    stream_cleared(from, size);
    stream_cleared(to, size);
}

/* A module whose accesses we shall see has been loaded (runtime/init.h). */
void host_loaded(void)
{
    if (!recorder_on)
        return;
    struct thread *t = thread_current();
    t->inside++;
    channel_tape(WIRE_TAPE_MODULES, NULL);
    thread_outside(t);
}

/* --- processes --- */

void recorder_forking(void)
{
    recorder_stop();
    recorder_tape++; /* nobody knows anything of the next one yet */
    blocks_leave();
    spine = (struct tape_pen){.stream = TAPE_SPINE};
    recorder_sites_again();
    for (struct host_thread *h = events_threads; h != NULL; h = h->next)
        if (h->stream != NULL)
            stream_again(h->stream);
}

void recorder_forked(void)
{
    if (owner == 0 || owner == process())
        return;
    recorder_forking();
    start();
    for (struct host_thread *h = events_threads; h != NULL && recorder_on; h = h->next)
        if (h->stream != NULL)
            stream_again(h->stream);
}

/* --- synchronization: as a detector --- */

static void put_dropped(void)
{
    if (dropped != 0)
        put(TAPE_DROP, 0, 0, dropped - 1, 0, 0);
    dropped = 0;
}

/* --- locks --- */

/* The lock that is being given up, and who does: what is posted next is what it has then. */
under_lock static struct host_sync *giving;
under_lock static const struct stream *giver;

/* The tape knows its number. */
static void tell_lock(struct host_sync *s)
{
    bool known = s->lock != 0 && s->tape == recorder_tape;
    if (likely(known))
        return;
    if (s->lock == 0)
        s->lock = events_new_lock() + 1;
    if (s->tape != 0) /* of a parent: who held the spin lock is not there any more */
        s->turns = (struct lock_turns){0};
    s->turns.given = 0;
    s->tape = recorder_tape;
    s->posted = UINT32_MAX;
    put(TAPE_LOCK, 0, 0, s->address, s->lock - 1, 0);
}

void recorder_take(struct thread *t, struct host_sync *s, uintptr_t pc)
{
    struct stream *stream = t->host->stream;
    stream_repeats_atomic(
        stream, &(struct race_access_live){.address = s->address, .size = 1, .kind = ATOMIC_READ},
        stream_clears);
    tell_lock(s);
    recorder_turns_of(stream);
    put(TAPE_TAKE, 0, t->id, s->lock - 1, site_of(t, pc), 0);
    stream->taken = s->lock;
    stream_synced(stream, false);
}

/* `again`: what was posted under this id before is dropped. */
static void put_given(uint32_t thread, uint32_t id, bool again)
{
    if (again && giving->posted == id && giver->taken == giving->lock)
        put(TAPE_GIVE_LAST, 0, thread, 0, 0, 0);
    else
        put(TAPE_GIVE, again, thread, giving->lock - 1, id, 0);
    giving->posted = id;
    giving->turns.given++;
}

void recorder_give(struct thread *t, struct host_sync *s)
{
    uint32_t id;
    tell_lock(s);
    recorder_turns_of(t->host->stream);
    giving = s;
    giver = t->host->stream;
    if (likely(posts_renew(&s->released, t->host, &id))) {
        put_dropped();
        put_given(t->host->id, id, true);
        events_synced(t->host, true);
    } else {
        posts_publish(&s->released, t->host);
    }
    giving = NULL;
}

static void on_event(const struct event *e)
{
    bool again = e->op == OP_BARRIER_IN && dropped == e->target + 1;
    if (!again)
        put_dropped();
    dropped = 0;
    switch (e->op) {
    case OP_BARRIER_IN:
        if (giving != NULL)
            put_given(e->thread, e->target, again);
        else
            put(TAPE_POST, again, e->thread, e->target, 0, 0);
        break;
    case OP_BARRIER_OUT:
        if (e->flags & EVENT_NOBODY)
            dropped = e->target + 1;
        else
            put(TAPE_LEARN, 0, e->thread, e->target, 0, 0);
        break;
    default:
        if (!(e->flags & EVENT_NOBODY))
            put(TAPE_SYNC, e->op, e->thread, e->target, 0, 0);
    }
}

static void block(void *self, const struct event *events, size_t count, uint64_t first)
{
    (void)self, (void)first;
    for (size_t i = 0; i < count && recorder_on; i++)
        on_event(&events[i]);
}

static void *create(struct host *host)
{
    (void)host;
    start();
    return NULL;
}

static void extend(void *self)
{
    (void)self;
}

/* It knows no variables. */
static void copy(void *self, uint32_t from, uint32_t to)
{
    (void)self, (void)from, (void)to;
}

static const struct detector recorder = {.name = "record",
                                         .source = "-",
                                         .promise = "keeps the execution",
                                         .precise = true,
                                         .create = create,
                                         .extend = extend,
                                         .block = block,
                                         .copy = copy};

const struct detector *recorder_named(const char *name)
{
    recorder_repeats = __builtin_strcmp(name, "record_all") == 0;
    recorder_chosen = recorder_repeats || __builtin_strcmp(name, "record") == 0;
    return recorder_chosen ? &recorder : NULL;
}
