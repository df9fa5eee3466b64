#include "trace/feasible.h"

/* Alive states come last, so that the common check is one comparison. */
enum thread_state { UNSEEN, JOINED, FORKED, ROOT };

struct hold {
    uint32_t thread, depth;
};

struct lock_state {
    uint32_t writer, write_depth; /* writer is meaningful while write_depth > 0 */
    struct hold *reader;
    size_t readers, reader_capacity;
};

struct arrival {
    uint32_t thread, round;
};

struct barrier_state {
    bool gathering;
    uint32_t round;          /* that gathers, if one does */
    struct arrival *waiting; /* arrived and not left, of this round and of earlier ones */
    size_t waiting_count, waiting_capacity;
};

struct feasible {
    const struct names *names;
    bool closed_world;
    bool any_thread; /* has any thread run yet? */
    struct mem mem;
    uint8_t *thread; /* enum thread_state */
    size_t thread_capacity;
    struct lock_state *lock;
    size_t lock_capacity;
    struct barrier_state *barrier;
    size_t barrier_capacity;
    uint32_t *round_members; /* by round: how many have not left */
    size_t rounds, round_capacity;
    uint32_t *free_round;
    size_t free_rounds, free_round_capacity;
};

struct feasible *feasible_new(const struct names *names, bool closed_world)
{
    struct mem mem = {0};
    struct feasible *f = mem_alloc(&mem, sizeof *f);
    f->mem = mem;
    f->names = names;
    f->closed_world = closed_world;
    return f;
}

void feasible_free(struct feasible *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->lock_capacity; i++)
        mem_free(&f->mem, f->lock[i].reader, f->lock[i].reader_capacity * sizeof(struct hold));
    for (size_t i = 0; i < f->barrier_capacity; i++)
        mem_free(&f->mem, f->barrier[i].waiting, f->barrier[i].waiting_capacity * sizeof(struct arrival));
    mem_free(&f->mem, f->thread, f->thread_capacity);
    mem_free(&f->mem, f->lock, f->lock_capacity * sizeof *f->lock);
    mem_free(&f->mem, f->barrier, f->barrier_capacity * sizeof *f->barrier);
    mem_free(&f->mem, f->round_members, f->round_capacity * sizeof *f->round_members);
    mem_free(&f->mem, f->free_round, f->free_round_capacity * sizeof *f->free_round);
    struct mem mem = f->mem;
    mem_free(&mem, f, sizeof *f);
}

uint32_t feasible_rounds(const struct feasible *f)
{
    return (uint32_t)f->rounds;
}

static void extend(struct feasible *f)
{
    const struct name_table *of = f->names->of;
    f->thread = mem_reserve(&f->mem, f->thread, 1, &f->thread_capacity, of[NAME_THREAD].count);
    f->lock = mem_reserve(&f->mem, f->lock, sizeof *f->lock, &f->lock_capacity, of[NAME_LOCK].count);
    f->barrier =
        mem_reserve(&f->mem, f->barrier, sizeof *f->barrier, &f->barrier_capacity, of[NAME_BARRIER].count);
}

/* A name for a message: cut short, since a trace may call things what it likes. */
struct shown {
    int length;
    const char *text;
};

static struct shown shown(const struct feasible *f, enum name_class class, uint32_t id)
{
    struct name name = names_get(f->names, class, id);
    return (struct shown){(int)min_size(name.length, 48), name.text};
}

#define THREAD_NAME(f, id)  shown(f, NAME_THREAD, id).length, shown(f, NAME_THREAD, id).text
#define LOCK_NAME(f, id)    shown(f, NAME_LOCK, id).length, shown(f, NAME_LOCK, id).text
#define BARRIER_NAME(f, id) shown(f, NAME_BARRIER, id).length, shown(f, NAME_BARRIER, id).text

/* --- threads --- */

/* The thread's first event, or one after its end. */
static cold_path bool thread_enters(struct feasible *f, struct event *e, struct problem *p)
{
    if (f->thread[e->thread] == JOINED)
        return problem_set(p, 0, "thread %.*s acts after it was joined", THREAD_NAME(f, e->thread));
    if (f->closed_world && f->any_thread)
        return problem_set(p, 0, "thread %.*s acts before it was forked", THREAD_NAME(f, e->thread));
    f->thread[e->thread] = ROOT;
    f->any_thread = true;
    e->flags |= EVENT_STARTS_THREAD;
    return true;
}

static bool fork_ok(struct feasible *f, struct event *e, struct problem *p)
{
    if (e->target == e->thread)
        return problem_set(p, 0, "thread %.*s forks itself", THREAD_NAME(f, e->thread));
    if (f->thread[e->target] == JOINED)
        return problem_set(p, 0, "thread %.*s is forked after it was joined", THREAD_NAME(f, e->target));
    if (f->thread[e->target] == ROOT)
        return problem_set(p, 0, "thread %.*s is forked after it has already run", THREAD_NAME(f, e->target));
    if (f->thread[e->target] != UNSEEN)
        return problem_set(p, 0, "thread %.*s is forked twice", THREAD_NAME(f, e->target));
    f->thread[e->target] = FORKED;
    return true;
}

static bool join_ok(struct feasible *f, struct event *e, struct problem *p)
{
    if (e->target == e->thread)
        return problem_set(p, 0, "thread %.*s joins itself", THREAD_NAME(f, e->thread));
    if (f->thread[e->target] == UNSEEN)
        return problem_set(p, 0, "thread %.*s is joined but was never started", THREAD_NAME(f, e->target));
    f->thread[e->target] = JOINED;
    return true;
}

/* --- locks --- */

static struct hold *reader_of(struct lock_state *lock, uint32_t thread)
{
    for (size_t i = 0; i < lock->readers; i++)
        if (lock->reader[i].thread == thread)
            return &lock->reader[i];
    return NULL;
}

static bool acquire_ok(struct feasible *f, struct event *e, struct problem *p)
{
    struct lock_state *lock = &f->lock[e->target];
    if (lock->write_depth > 0) {
        if (lock->writer != e->thread)
            return problem_set(p, 0, "thread %.*s acquires lock %.*s, which thread %.*s holds",
                               THREAD_NAME(f, e->thread), LOCK_NAME(f, e->target),
                               THREAD_NAME(f, lock->writer));
        lock->write_depth++;
        e->op = OP_DUMMY;
        return true;
    }
    if (reader_of(lock, e->thread) != NULL)
        return problem_set(p, 0, "thread %.*s acquires lock %.*s for writing while it holds it for reading",
                           THREAD_NAME(f, e->thread), LOCK_NAME(f, e->target));
    if (lock->readers > 0)
        return problem_set(p, 0, "thread %.*s acquires lock %.*s, which thread %.*s holds for reading",
                           THREAD_NAME(f, e->thread), LOCK_NAME(f, e->target),
                           THREAD_NAME(f, lock->reader[0].thread));
    lock->writer = e->thread;
    lock->write_depth = 1;
    return true;
}

static bool release_ok(struct feasible *f, struct event *e, struct problem *p)
{
    struct lock_state *lock = &f->lock[e->target];
    if (lock->write_depth == 0 || lock->writer != e->thread)
        return problem_set(p, 0, "thread %.*s releases lock %.*s, which it %s", THREAD_NAME(f, e->thread),
                           LOCK_NAME(f, e->target),
                           reader_of(lock, e->thread) != NULL ? "holds for reading only" : "does not hold");
    if (--lock->write_depth > 0)
        e->op = OP_DUMMY;
    return true;
}

static bool read_acquire_ok(struct feasible *f, struct event *e, struct problem *p)
{
    struct lock_state *lock = &f->lock[e->target];
    if (lock->write_depth > 0 && lock->writer != e->thread)
        return problem_set(p, 0, "thread %.*s acquires lock %.*s for reading, which thread %.*s holds",
                           THREAD_NAME(f, e->thread), LOCK_NAME(f, e->target), THREAD_NAME(f, lock->writer));
    struct hold *mine = reader_of(lock, e->thread);
    if (mine != NULL) {
        mine->depth++;
        e->op = OP_DUMMY;
        return true;
    }
    lock->reader =
        mem_reserve(&f->mem, lock->reader, sizeof(struct hold), &lock->reader_capacity, lock->readers + 1);
    lock->reader[lock->readers++] = (struct hold){e->thread, 1};
    return true;
}

static bool read_release_ok(struct feasible *f, struct event *e, struct problem *p)
{
    struct lock_state *lock = &f->lock[e->target];
    struct hold *mine = reader_of(lock, e->thread);
    if (mine == NULL)
        return problem_set(p, 0, "thread %.*s releases lock %.*s, which it does not hold for reading",
                           THREAD_NAME(f, e->thread), LOCK_NAME(f, e->target));
    if (--mine->depth > 0)
        e->op = OP_DUMMY;
    else
        *mine = lock->reader[--lock->readers];
    return true;
}

/* --- barriers --- */

static uint32_t new_round(struct feasible *f)
{
    if (f->free_rounds > 0)
        return f->free_round[--f->free_rounds];
    f->round_members =
        mem_reserve(&f->mem, f->round_members, sizeof *f->round_members, &f->round_capacity, f->rounds + 1);
    f->round_members[f->rounds] = 0;
    return (uint32_t)f->rounds++;
}

static void drop_round(struct feasible *f, uint32_t round)
{
    f->free_round = mem_reserve(&f->mem, f->free_round, sizeof *f->free_round, &f->free_round_capacity,
                                f->free_rounds + 1);
    f->free_round[f->free_rounds++] = round;
}

static struct arrival *arrival_of(struct barrier_state *barrier, uint32_t thread)
{
    for (size_t i = 0; i < barrier->waiting_count; i++)
        if (barrier->waiting[i].thread == thread)
            return &barrier->waiting[i];
    return NULL;
}

static bool barrier_in_ok(struct feasible *f, struct event *e, struct problem *p)
{
    struct barrier_state *barrier = &f->barrier[e->target];
    if (arrival_of(barrier, e->thread) != NULL)
        return problem_set(p, 0, "thread %.*s arrives at barrier %.*s again without having left it",
                           THREAD_NAME(f, e->thread), BARRIER_NAME(f, e->target));
    if (!barrier->gathering) {
        barrier->gathering = true;
        barrier->round = new_round(f);
    }
    barrier->waiting = mem_reserve(&f->mem, barrier->waiting, sizeof(struct arrival),
                                   &barrier->waiting_capacity, barrier->waiting_count + 1);
    barrier->waiting[barrier->waiting_count++] = (struct arrival){e->thread, barrier->round};
    f->round_members[barrier->round]++;
    e->target = barrier->round;
    return true;
}

static bool barrier_out_ok(struct feasible *f, struct event *e, struct problem *p)
{
    struct barrier_state *barrier = &f->barrier[e->target];
    struct arrival *mine = arrival_of(barrier, e->thread);
    if (mine == NULL)
        return problem_set(p, 0, "thread %.*s leaves barrier %.*s without having arrived",
                           THREAD_NAME(f, e->thread), BARRIER_NAME(f, e->target));
    uint32_t round = mine->round;
    *mine = barrier->waiting[--barrier->waiting_count];
    if (barrier->gathering && barrier->round == round)
        barrier->gathering = false; /* the first to leave closes the round */
    e->target = round;
    if (--f->round_members[round] == 0) {
        e->flags |= EVENT_LAST_OUT;
        drop_round(f, round);
    }
    return true;
}

/* --- all events --- */

static bool sync_ok(struct feasible *f, struct event *e, struct problem *p)
{
    switch (e->op) {
    case OP_ACQUIRE:
        return acquire_ok(f, e, p);
    case OP_RELEASE:
        return release_ok(f, e, p);
    case OP_READ_ACQUIRE:
        return read_acquire_ok(f, e, p);
    case OP_READ_RELEASE:
        return read_release_ok(f, e, p);
    case OP_FORK:
        return fork_ok(f, e, p);
    case OP_JOIN:
        return join_ok(f, e, p);
    case OP_BARRIER_IN:
        return barrier_in_ok(f, e, p);
    case OP_BARRIER_OUT:
        return barrier_out_ok(f, e, p);
    default: /* accesses, volatiles, allocations and notes are always feasible */
        return true;
    }
}

size_t feasible_check(struct feasible *f, struct event *events, size_t count, struct problem *problem)
{
    extend(f);
    const uint8_t *thread = f->thread;
    for (size_t i = 0; i < count; i++) {
        struct event *e = &events[i];
        if (unlikely(thread[e->thread] < FORKED) && !thread_enters(f, e, problem))
            return i;
        if (likely(op_is_access(e->op)))
            continue;
        if (!sync_ok(f, e, problem))
            return i;
    }
    return count;
}
