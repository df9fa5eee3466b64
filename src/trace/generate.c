/* Makes random traces by running random threads, one step at a time, and writing down what they do.
 *
 * Why a disciplined trace has no race. Every variable is of one of three kinds, by its number:
 *   guarded   (the first ones)  accessed only under lock `variable mod locks`, written only under the write
 * lock; constant  (the last ones)   written by the first thread before it forks anybody, then only read;
 *   owned     (in between)      accessed only by its owner. Ownership moves with a synchronization edge and
 * only so: a *gift* waits at a lock, volatile or barrier round, put there before a release (write, arrival)
 * and taken after an acquire (read, departure) that this release happens before; a fork hands over to the
 * child, a join to the joiner. An owned variable may also be *published* at a volatile: from then on it is
 * only read, by threads that have read the volatile since. An allocation makes any variable new and so gives
 * it to whoever allocates it. An undisciplined access goes to any variable, with whatever locks are held.
 *
 * Invariants:
 *   1. an owned variable is in exactly one place: a thread's list, a gift, a publication, or the orphans
 *   2. the first thread never ends and never gives away its last variable, so there is always a next event
 *   3. a thread inside a barrier does nothing until it leaves; a thread that ended held no lock
 */
#include "trace/generate.h"

#include <stdio.h>

#define NONE UINT32_MAX

enum { MOST_HELD = 4, MOST_DEPTH = 3 };

struct held {
    uint32_t lock;
    uint16_t writes, reads; /* nesting depth of either kind; a writer may also read (and so step down) */
};

struct lock {
    uint32_t id; /* in names; NONE until used (the same below) */
    uint32_t writer, readers;
    uint32_t gift, reader_gift; /* put there by a writer or by a reader; only writers take the latter */
};

struct volatile_variable {
    uint32_t id;
    uint32_t gift, published;
    uint32_t generation; /* counts publications: who saw an older one may not read the present one */
};

struct barrier {
    uint32_t id;
    uint32_t round, gathered; /* the round that gathers, and how many are there */
    uint32_t gift, giver, gift_round;
};

struct thread {
    uint32_t id;
    uint32_t own;                 /* last of a circular list of variables, or NONE; the next one is current */
    uint32_t position;            /* in live[] */
    uint32_t barrier, round;      /* inside this barrier, or NONE */
    uint32_t saw, saw_generation; /* a volatile whose publication it may read, or NONE */
    uint32_t again;               /* the last disciplined access's variable, or NONE */
    bool again_writes;            /* ... which it may write */
    bool reenters, ran, ended, joined_later;
    uint32_t held_count;
    struct held held[MOST_HELD];
};

struct generator {
    struct generate_options o;
    struct names *names;
    struct mem mem;
    uint64_t random;
    uint64_t emitted, ended; /* events; threads */
    struct event *out;       /* where the next event goes */

    uint32_t guarded, constants_from, constants_written; /* kinds by number, see above */
    uint32_t *variable_id, *next_own;
    struct lock *lock;
    struct volatile_variable *volatiles;
    struct barrier *barrier;
    struct thread *thread;
    uint32_t *live; /* threads that run or wait inside a barrier */
    uint32_t *over; /* threads that ended and wait for their join */
    uint32_t live_count, over_count, forked, current, orphans, last_joined;
};

/* --- random numbers: a Weyl sequence mixed by one wide multiplication ("wyrand") --- */

static inline uint64_t draw(struct generator *g)
{
    g->random += UINT64_C(0xa0761d6478bd642f);
    unsigned __int128 product = (unsigned __int128)g->random * (g->random ^ UINT64_C(0xe7037ed1a0b428db));
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static inline uint32_t below(struct generator *g, uint32_t bound)
{
    return (uint32_t)((draw(g) >> 32) * bound >> 32);
}

static inline bool chance(struct generator *g, uint64_t percent)
{
    return below(g, 100) < percent;
}

/* --- events --- */

static cold_path uint32_t intern(struct generator *g, enum name_class class, char letter, uint32_t number)
{
    char text[16];
    int length = snprintf(text, sizeof text, "%c%u", letter, (unsigned)number);
    return names_id(g->names, class, text, (size_t)length);
}

#define ID(g, known, class, letter, number)                                                                  \
    (likely((known) != NONE) ? (known) : ((known) = intern(g, class, letter, number)))

static inline bool emit(struct generator *g, struct thread *t, enum op op, uint32_t target)
{
    uint32_t thread = ID(g, t->id, NAME_THREAD, 'T', (uint32_t)(t - g->thread));
    uint32_t location = (uint32_t)(++g->emitted % 1000);
    *g->out++ = (struct event){.thread = thread, .target = target, .location = location, .op = (uint8_t)op};
    t->ran = true;
    return true;
}

static inline bool emit_variable(struct generator *g, struct thread *t, enum op op, uint32_t v)
{
    return emit(g, t, op, ID(g, g->variable_id[v], NAME_VARIABLE, 'V', v));
}
_Static_assert(OP_WRITE == OP_READ + 1, "emit_access counts on it");

/* A fork or join: the acting thread is named before its operand, as a reader would meet them. */
static bool emit_thread(struct generator *g, struct thread *t, enum op op, uint32_t target)
{
    (void)ID(g, t->id, NAME_THREAD, 'T', (uint32_t)(t - g->thread));
    return emit(g, t, op, ID(g, g->thread[target].id, NAME_THREAD, 'T', target));
}

static inline bool emit_access(struct generator *g, struct thread *t, uint32_t v, bool may_write)
{
    return emit_variable(g, t, OP_READ + (may_write & chance(g, g->o.writes)), v);
}

/* A disciplined access; until the thread's next synchronization it may be repeated. */
static inline bool emit_ordered(struct generator *g, struct thread *t, uint32_t v, bool may_write)
{
    t->again = v;
    t->again_writes = may_write;
    return emit_access(g, t, v, may_write);
}

/* --- ownership: circular lists through next_own --- */

static void list_put(struct generator *g, uint32_t *list, uint32_t v)
{
    if (*list == NONE)
        *list = g->next_own[v] = v;
    else {
        g->next_own[v] = g->next_own[*list];
        g->next_own[*list] = v;
    }
}

static uint32_t list_take(struct generator *g, uint32_t *list)
{
    uint32_t v = g->next_own[*list];
    if (v == *list)
        *list = NONE;
    else
        g->next_own[*list] = g->next_own[v];
    return v;
}

static void list_move(struct generator *g, uint32_t *to, uint32_t *from)
{
    if (*from == NONE)
        return;
    if (*to == NONE)
        *to = *from;
    else {
        uint32_t v = g->next_own[*to];
        g->next_own[*to] = g->next_own[*from];
        g->next_own[*from] = v;
    }
    *from = NONE;
}

/* Half of the time, leaves the thread's current variable at an empty place; never its last one. */
static void give(struct generator *g, struct thread *t, uint32_t *place)
{
    if (*place == NONE && t->own != NONE && g->next_own[t->own] != t->own && chance(g, 50))
        *place = list_take(g, &t->own);
}

static void take(struct generator *g, struct thread *t, uint32_t *place)
{
    if (*place == NONE)
        return;
    list_put(g, &t->own, *place);
    *place = NONE;
}

/* --- locks --- */

static inline bool emit_lock(struct generator *g, struct thread *t, enum op op, uint32_t l)
{
    t->again = NONE;
    return emit(g, t, op, ID(g, g->lock[l].id, NAME_LOCK, 'L', l));
}

/* An outermost acquire, if nobody is in the way and the thread has not yet got the lock. */
static bool acquire(struct generator *g, struct thread *t, uint32_t l)
{
    struct lock *lock = &g->lock[l];
    bool reading = chance(g, g->o.readers);
    if (lock->writer != NONE || (lock->readers > 0 && !reading) || t->held_count == MOST_HELD)
        return false;
    for (uint32_t i = 0; i < t->held_count; i++)
        if (t->held[i].lock == l)
            return false;
    t->held[t->held_count++] = (struct held){.lock = l, .writes = !reading, .reads = reading};
    t->reenters = chance(g, g->o.reentrant);
    take(g, t, &lock->gift);
    if (reading)
        lock->readers++;
    else {
        lock->writer = (uint32_t)(t - g->thread);
        take(g, t, &lock->reader_gift);
    }
    return emit_lock(g, t, reading ? OP_READ_ACQUIRE : OP_ACQUIRE, l);
}

/* A nested acquire of the lock taken last; a writer sometimes takes it for reading, too. */
static bool reenter(struct generator *g, struct thread *t)
{
    t->reenters = false;
    if (t->held_count == 0)
        return false;
    struct held *held = &t->held[t->held_count - 1];
    if (held->writes + held->reads == MOST_DEPTH)
        return false;
    t->reenters = chance(g, g->o.reentrant);
    bool reading = held->writes == 0 || chance(g, 25);
    if (!reading)
        held->writes++;
    else if (held->reads++ == 0)
        g->lock[held->lock].readers++;
    return emit_lock(g, t, reading ? OP_READ_ACQUIRE : OP_ACQUIRE, held->lock);
}

/* Releases one level of any lock that the thread holds. */
static bool release(struct generator *g, struct thread *t)
{
    t->reenters = false;
    struct held *held = &t->held[below(g, t->held_count)];
    uint32_t l = held->lock;
    struct lock *lock = &g->lock[l];
    bool reading = held->writes == 0 || (held->reads > 0 && chance(g, 50));
    if (reading) {
        if (--held->reads == 0) {
            give(g, t, &lock->reader_gift);
            lock->readers--;
        }
    } else if (--held->writes == 0) {
        give(g, t, &lock->gift);
        lock->writer = NONE;
    }
    if (held->writes + held->reads == 0)
        *held = t->held[--t->held_count];
    return emit_lock(g, t, reading ? OP_READ_RELEASE : OP_RELEASE, l);
}

/* --- volatiles --- */

static bool volatile_step(struct generator *g, struct thread *t)
{
    uint32_t a = below(g, (uint32_t)g->o.volatiles);
    struct volatile_variable *at = &g->volatiles[a];
    uint32_t id = ID(g, at->id, NAME_VOLATILE, 'A', a);
    t->again = NONE;
    if (chance(g, 50)) {
        give(g, t, chance(g, 50) ? &at->gift : &at->published);
        return emit(g, t, OP_VWRITE, id);
    }
    take(g, t, &at->gift);
    t->saw = at->published != NONE ? a : NONE;
    t->saw_generation = at->generation;
    return emit(g, t, OP_VREAD, id);
}

/* A variable that was published at a volatile which the thread has read since, or NONE. */
static uint32_t published_to(const struct generator *g, const struct thread *t)
{
    if (t->saw == NONE || g->volatiles[t->saw].generation != t->saw_generation)
        return NONE;
    return g->volatiles[t->saw].published;
}

/* --- barriers --- */

static bool barrier_arrive(struct generator *g, struct thread *t)
{
    uint32_t b = below(g, (uint32_t)g->o.barriers);
    struct barrier *barrier = &g->barrier[b];
    t->barrier = b;
    t->round = barrier->round;
    t->again = NONE;
    barrier->gathered++;
    if (barrier->gift == NONE) {
        give(g, t, &barrier->gift);
        barrier->giver = (uint32_t)(t - g->thread);
        barrier->gift_round = barrier->round;
    }
    return emit(g, t, OP_BARRIER_IN, ID(g, barrier->id, NAME_BARRIER, 'B', b));
}

/* Leaves if the round is closed; else closes it, seldom while the thread is alone, or when it must. The gift
 * goes to the first other member that leaves after it was given; the giver takes back what nobody took. */
static bool barrier_leave(struct generator *g, struct thread *t, bool must)
{
    struct barrier *barrier = &g->barrier[t->barrier];
    if (t->round == barrier->round) {
        if (!must && below(g, 32) >= (barrier->gathered > 1 ? 4 + 2 * barrier->gathered : 1))
            return false;
        barrier->round++;
        barrier->gathered = 0;
    }
    if (barrier->gift != NONE && barrier->gift_round == t->round &&
        (barrier->giver == (uint32_t)(t - g->thread) || chance(g, 50)))
        take(g, t, &barrier->gift);
    t->barrier = NONE;
    return emit(g, t, OP_BARRIER_OUT, barrier->id);
}

/* --- threads --- */

static bool fork_due(const struct generator *g)
{
    uint64_t limit = g->o.live != 0 && g->o.live < g->o.threads ? g->o.live : g->o.threads;
    uint64_t span = limit < g->o.threads ? g->o.events : g->o.events / 4;
    return g->forked < g->o.threads && g->live_count < limit &&
           g->emitted >= span * g->forked / g->o.threads; /* no overflow: generate_check */
}

/* Threads end to make room for others, or in the last quarter of the trace. */
static bool end_due(const struct generator *g)
{
    if (g->o.live != 0 && g->forked < g->o.threads)
        return g->live_count == g->o.live;
    uint64_t from = g->o.events - g->o.events / 4;
    return g->emitted > from && (g->emitted - from) * g->o.threads > g->ended * (g->o.events - from);
}

static void start_thread(struct generator *g, uint32_t number)
{
    struct thread *t = &g->thread[number];
    t->barrier = t->saw = t->again = NONE;
    t->joined_later = chance(g, g->o.joins);
    t->position = g->live_count;
    g->live[g->live_count++] = number;
}

static bool fork_step(struct generator *g, struct thread *t)
{
    uint32_t child = g->forked++;
    t->again = NONE;
    if (t->own != NONE && g->next_own[t->own] != t->own && chance(g, 50))
        list_put(g, &g->thread[child].own, list_take(g, &t->own));
    start_thread(g, child);
    return emit_thread(g, t, OP_FORK, child);
}

/* The thread ends, which no event shows. */
static void end_step(struct generator *g, struct thread *t)
{
    uint32_t number = (uint32_t)(t - g->thread), moved = g->live[--g->live_count];
    g->live[t->position] = moved;
    g->thread[moved].position = t->position;
    g->ended++;
    g->current = 0;
    t->ended = true;
    if (t->joined_later)
        g->over[g->over_count++] = number;
    else
        list_move(g, &g->orphans, &t->own);
}

static bool join_step(struct generator *g, struct thread *t)
{
    uint32_t i = below(g, g->over_count), number = g->over[i];
    g->over[i] = g->over[--g->over_count];
    g->last_joined = number;
    t->again = NONE;
    list_move(g, &t->own, &g->thread[number].own);
    return emit_thread(g, t, OP_JOIN, number);
}

/* --- steps --- */

/* Makes one variable new. Published ones and orphans come back into use this way. */
static bool alloc_step(struct generator *g, struct thread *t)
{
    uint32_t v = NONE;
    t->again = NONE;
    if (g->orphans != NONE)
        v = list_take(g, &g->orphans);
    else if (g->o.volatiles > 0 && chance(g, 50)) {
        struct volatile_variable *at = &g->volatiles[below(g, (uint32_t)g->o.volatiles)];
        v = at->published;
        at->published = NONE;
        at->generation += v != NONE;
    }
    if (v != NONE)
        list_put(g, &t->own, v);
    else if (t->own != NONE && (g->guarded == 0 || chance(g, 50)))
        v = g->next_own[t->own];
    else if (g->guarded > 0)
        v = below(g, g->guarded);
    else
        return false;
    return emit_variable(g, t, OP_ALLOC, v);
}

/* Returns false when there was nothing to do (or the thread ended, which is no event). */
static bool sync_step(struct generator *g, struct thread *t)
{
    if (fork_due(g) && chance(g, 50))
        return fork_step(g, t);
    if (g->over_count > 0 && chance(g, 50))
        return join_step(g, t);
    if (g->last_joined != NONE && chance(g, 2)) /* joining again is allowed and tells nothing new */
        return emit_thread(g, t, OP_JOIN, g->last_joined);
    if (t != g->thread && t->held_count == 0 && t->ran && end_due(g)) {
        end_step(g, t);
        return false;
    }
    if (t->held_count > 0 && chance(g, 60))
        return release(g, t);
    uint32_t choice = below(g, 8);
    if (choice < 3 && g->o.volatiles > 0)
        return volatile_step(g, t);
    if (choice == 3 && g->o.barriers > 0)
        return barrier_arrive(g, t);
    return g->o.locks > 0 && acquire(g, t, below(g, (uint32_t)g->o.locks));
}

/* A variable guarded by a lock that the thread holds; failing that, takes the lock of some variable. */
static bool guarded_step(struct generator *g, struct thread *t)
{
    uint32_t locks = (uint32_t)g->o.locks;
    if (t->held_count == 0)
        return acquire(g, t, below(g, g->guarded) % locks);
    const struct held *held = &t->held[below(g, t->held_count)];
    if (held->lock >= g->guarded)
        return false;
    uint32_t count = (g->guarded - 1 - held->lock) / locks + 1;
    return emit_ordered(g, t, held->lock + locks * below(g, count), held->writes > 0);
}

static bool read_only_step(struct generator *g, struct thread *t)
{
    uint32_t constants = (uint32_t)g->o.vars - g->constants_from, v = published_to(g, t);
    if (v != NONE && (constants == 0 || chance(g, 50)))
        return emit_access(g, t, v, false);
    return constants > 0 && emit_ordered(g, t, g->constants_from + below(g, constants), false);
}

static bool own_step(struct generator *g, struct thread *t)
{
    if (t->own == NONE)
        return false;
    uint32_t next = g->next_own[t->own];
    t->own = draw(g) >> 63 ? next : t->own; /* without a branch: nobody could predict it */
    return emit_ordered(g, t, g->next_own[t->own], true);
}

static bool access_step(struct generator *g, struct thread *t)
{
    if (!chance(g, g->o.discipline))
        return emit_access(g, t, below(g, (uint32_t)g->o.vars), true);
    if (t->again != NONE && chance(g, g->o.repeat))
        return emit_access(g, t, t->again, t->again_writes);
    if (chance(g, g->o.sharing)) {
        if (chance(g, 25) && read_only_step(g, t))
            return true;
        if (g->guarded > 0 && guarded_step(g, t))
            return true;
    }
    return own_step(g, t) || read_only_step(g, t) || (t->held_count > 0 && release(g, t));
}

static inline bool step(struct generator *g, struct thread *t, bool must)
{
    if (unlikely(g->constants_written < g->o.vars)) /* the first thread, alone */
        return emit_variable(g, t, OP_WRITE, g->constants_written++);
    if (t->barrier != NONE)
        return barrier_leave(g, t, must);
    if (t->reenters && reenter(g, t))
        return true;
    uint32_t choice = below(g, 100);
    if (choice >= 100 - g->o.allocs && t->held_count == 0 && alloc_step(g, t))
        return true;
    if (choice < g->o.sync && sync_step(g, t))
        return true;
    return !t->ended && access_step(g, t);
}

/* Nobody who was asked had anything to do: asks everybody. */
static cold_path void step_somebody(struct generator *g)
{
    for (uint64_t i = 0;; i++) {
        require(i < 1000u * (uint64_t)g->live_count);
        g->current = g->live[i % g->live_count];
        if (step(g, &g->thread[g->current], true))
            return;
    }
}

static inline uint32_t next_thread(struct generator *g)
{
    uint64_t random = draw(g); /* one half for each question */
    uint32_t other = g->live[(random >> 32) * g->live_count >> 32];
    return (random & UINT32_MAX) * 100 >> 32 < g->o.switches ? other : g->current;
}

size_t generator_next(struct generator *g, struct event *events, size_t most)
{
    size_t count = (size_t)(g->o.events - g->emitted < most ? g->o.events - g->emitted : most);
    unsigned failed = 0;
    g->out = events;
    while (g->out < events + count) {
        g->current = next_thread(g);
        if (likely(step(g, &g->thread[g->current], false)))
            failed = 0;
        else if (++failed == 32)
            step_somebody(g);
        else
            g->current = g->live[below(g, g->live_count)];
    }
    return count;
}

/* --- creation --- */

static void share_out(struct generator *g)
{
    uint64_t vars = g->o.vars, constants = vars / 8 < g->o.events / 64 ? vars / 8 : g->o.events / 64;
    g->constants_from = g->constants_written = (uint32_t)(vars - constants);
    g->guarded = g->o.locks > 0 ? (uint32_t)((vars + 1) / 2) : 0;
    for (uint32_t v = g->guarded; v < g->constants_from; v++)
        list_put(g, &g->thread[(v - g->guarded) % g->o.threads].own, v);
}

struct generator *generator_new(const struct generate_options *o, struct names *names)
{
    struct mem mem = {0};
    struct generator *g = mem_alloc(&mem, sizeof *g);
    *g = (struct generator){.o = *o,
                            .names = names,
                            .mem = mem,
                            .random = o->seed,
                            .orphans = NONE,
                            .last_joined = NONE,
                            .forked = 1};
    g->variable_id = mem_alloc(&g->mem, o->vars * sizeof *g->variable_id);
    g->next_own = mem_alloc(&g->mem, o->vars * sizeof *g->next_own);
    g->lock = mem_alloc(&g->mem, o->locks * sizeof *g->lock);
    g->volatiles = mem_alloc(&g->mem, o->volatiles * sizeof *g->volatiles);
    g->barrier = mem_alloc(&g->mem, o->barriers * sizeof *g->barrier);
    g->thread = mem_alloc(&g->mem, o->threads * sizeof *g->thread);
    g->live = mem_alloc(&g->mem, o->threads * sizeof *g->live);
    g->over = mem_alloc(&g->mem, o->threads * sizeof *g->over);
    for (uint64_t i = 0; i < o->vars; i++)
        g->variable_id[i] = NONE;
    for (uint64_t i = 0; i < o->locks; i++)
        g->lock[i] = (struct lock){.id = NONE, .writer = NONE, .gift = NONE, .reader_gift = NONE};
    for (uint64_t i = 0; i < o->volatiles; i++)
        g->volatiles[i] = (struct volatile_variable){.id = NONE, .gift = NONE, .published = NONE};
    for (uint64_t i = 0; i < o->barriers; i++)
        g->barrier[i] = (struct barrier){.id = NONE, .gift = NONE};
    for (uint64_t i = 0; i < o->threads; i++)
        g->thread[i] = (struct thread){.id = NONE, .own = NONE};
    share_out(g);
    start_thread(g, 0);
    return g;
}

void generator_free(struct generator *g)
{
    if (g == NULL)
        return;
    mem_free(&g->mem, g->variable_id, g->o.vars * sizeof *g->variable_id);
    mem_free(&g->mem, g->next_own, g->o.vars * sizeof *g->next_own);
    mem_free(&g->mem, g->lock, g->o.locks * sizeof *g->lock);
    mem_free(&g->mem, g->volatiles, g->o.volatiles * sizeof *g->volatiles);
    mem_free(&g->mem, g->barrier, g->o.barriers * sizeof *g->barrier);
    mem_free(&g->mem, g->thread, g->o.threads * sizeof *g->thread);
    mem_free(&g->mem, g->live, g->o.threads * sizeof *g->live);
    mem_free(&g->mem, g->over, g->o.threads * sizeof *g->over);
    struct mem mem = g->mem;
    mem_free(&mem, g, sizeof *g);
}
