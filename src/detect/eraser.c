/* eraser: does one lock protect the variable all the time? (Savage et al. 1997, as in 004 §4 and 001 §2.3.6)
 *
 *              first access          another thread reads            any thread writes
 *   virgin ------------> exclusive ----------------------> shared ----------------------> shared-modified
 *                            '------------- another thread writes ----------------------------^
 *
 * Leaving exclusive, the candidate set is the locks held at that access; from then on every access
 * intersects it: a read with all locks held, a write with those held for writing. In shared-modified an empty
 * set is an alarm. Volatiles, barriers, fork and join do not exist for Eraser.
 *
 * Imprecise, both ways. Alarms where there is no race: data handed over by fork and join, by a queue, or from
 * one lock to another. Misses: a race with an access in the exclusive state.
 *
 * An alarm names two accesses like a race: the current one, and the latest by another thread that conflicts
 * with it. There may be none yet (T0 reads; T1 writes holding l; T1 reads holding nothing: the set is empty,
 * but T1's read conflicts with nobody's). Then the alarm waits for the next access that has one.
 */
#include <stdio.h>

#include "clock/lockset.h"
#include "detect/drive.h"

enum rule { FIRST_ACCESS, EXCLUSIVE_ACCESS, SHARED_READ, PROTECTED, ALARM, WAITING, RULES };

static const struct rule_count rule_table[RULES] = {
    [FIRST_ACCESS] = {.rule = "FIRST ACCESS"},
    [EXCLUSIVE_ACCESS] = {.rule = "EXCLUSIVE"},
    [SHARED_READ] = {.rule = "SHARED"},
    [PROTECTED] = {.rule = "SHARED-MODIFIED"},
    [ALARM] = {.rule = "ALARM"},
    [WAITING] = {.rule = "EMPTY SET, NO CONFLICT YET"},
};

enum state { VIRGIN, EXCLUSIVE, SHARED, SHARED_MODIFIED };

/* The latest of some accesses, and the latest of those by other threads. */
struct latest {
    uint64_t event[2]; /* times 2, plus 1 for a write; 0: none */
    uint32_t thread[2];
};

struct variable {
    struct latest write, access;
    lockset candidates;
    uint32_t state; /* enum state */
};

struct holder {
    lockset any, writing; /* locks held, of them for writing */
    lockset reading;
};

struct eraser {
    struct host *host;
    uint64_t fired[RULES];
    struct locksets locksets;
    struct variable *variable;
    struct holder *holder; /* by thread */
    size_t variable_capacity, holder_capacity;
    uint64_t sync_events;
    struct rule_count counted[RULES];
};

/* --- who accessed last --- */

static void note_access(struct latest *latest, uint32_t thread, uint64_t n, bool write)
{
    if (latest->event[0] != 0 && latest->thread[0] != thread) {
        latest->event[1] = latest->event[0];
        latest->thread[1] = latest->thread[0];
    }
    latest->event[0] = n << 1 | write;
    latest->thread[0] = thread;
}

/* 0 where only this thread did. */
static uint64_t latest_by_another(const struct latest *latest, uint32_t thread)
{
    return latest->thread[0] != thread ? latest->event[0] : latest->event[1];
}

static int alarm(struct eraser *d, const struct variable *v, uint32_t thread, uint32_t x, uint64_t n,
                 bool write)
{
    uint64_t other = latest_by_another(write ? &v->access : &v->write, thread);
    if (other == 0)
        return WAITING;
    enum race_kind kind = !write ? RACE_WRITE_READ : other & 1 ? RACE_WRITE_WRITE : RACE_READ_WRITE;
    host_race(d->host, kind, x, other >> 1, n);
    return ALARM;
}

/* --- the state machine --- */

static enum state next_state(enum state state, bool other_thread, bool write)
{
    switch (state) {
    case VIRGIN:
        return EXCLUSIVE;
    case EXCLUSIVE:
        return !other_thread ? EXCLUSIVE : write ? SHARED_MODIFIED : SHARED;
    default:
        return write ? SHARED_MODIFIED : state;
    }
}

static void refine(struct eraser *d, struct variable *v, enum state before, uint32_t thread, bool write)
{
    lockset held = write ? d->holder[thread].writing : d->holder[thread].any;
    if (before == EXCLUSIVE)
        v->candidates = held; /* all locks, as none was ruled out yet, and those */
    else
        v->candidates = lockset_common(&d->locksets, v->candidates, held);
}

static int access(struct eraser *d, uint32_t thread, uint32_t x, uint64_t n, bool write)
{
    static const enum rule calm[] = {
        [EXCLUSIVE] = EXCLUSIVE_ACCESS, [SHARED] = SHARED_READ, [SHARED_MODIFIED] = PROTECTED};
    struct variable *v = &d->variable[x];
    enum state before = v->state;
    v->state = next_state(before, v->access.thread[0] != thread, write);
    int rule = before == VIRGIN ? FIRST_ACCESS : calm[v->state];
    if (v->state != EXCLUSIVE)
        refine(d, v, before, thread, write);
    if (v->state == SHARED_MODIFIED && lockset_is_empty(v->candidates))
        rule = alarm(d, v, thread, x, n, write);
    note_access(&v->access, thread, n, write);
    if (write)
        note_access(&v->write, thread, n, write);
    return rule;
}

static int on_read(struct eraser *d, uint32_t thread, uint32_t x, uint64_t n)
{
    return access(d, thread, x, n, false);
}

static int on_write(struct eraser *d, uint32_t thread, uint32_t x, uint64_t n)
{
    return access(d, thread, x, n, true);
}

static void on_alloc(struct eraser *d, uint32_t x)
{
    d->variable[x] = (struct variable){0};
}

static void copy(void *self, uint32_t from, uint32_t to)
{
    struct eraser *d = self;
    d->variable[to] = d->variable[from];
}

static void on_start(struct eraser *d, uint32_t thread)
{
    (void)d, (void)thread;
}

/* --- locks held --- */

static void sweep(struct eraser *d)
{
    for (size_t i = 0; i < d->variable_capacity; i++)
        lockset_mark(&d->locksets, d->variable[i].candidates);
    for (size_t i = 0; i < d->holder_capacity; i++) {
        lockset_mark(&d->locksets, d->holder[i].any);
        lockset_mark(&d->locksets, d->holder[i].writing);
        lockset_mark(&d->locksets, d->holder[i].reading);
    }
    locksets_sweep(&d->locksets);
}

static void on_sync(struct eraser *d, const struct event *e)
{
    struct holder *holder = &d->holder[e->thread];
    struct locksets *table = &d->locksets;
    uint32_t lock = e->target;
    d->sync_events++;
    switch (e->op) {
    case OP_ACQUIRE:
        holder->writing = lockset_with(table, holder->writing, lock);
        holder->any = lockset_with(table, holder->any, lock);
        break;
    case OP_READ_ACQUIRE:
        holder->reading = lockset_with(table, holder->reading, lock);
        holder->any = lockset_with(table, holder->any, lock);
        break;
    case OP_RELEASE:
        holder->writing = lockset_without(table, holder->writing, lock);
        if (!lockset_has(table, holder->reading, lock))
            holder->any = lockset_without(table, holder->any, lock);
        break;
    case OP_READ_RELEASE:
        holder->reading = lockset_without(table, holder->reading, lock);
        if (!lockset_has(table, holder->writing, lock))
            holder->any = lockset_without(table, holder->any, lock);
        break;
    }
    if (locksets_crowded(table))
        sweep(d);
}

/* --- life --- */

static void *create(struct host *host)
{
    struct eraser *d = mem_alloc(&host->mem, sizeof *d);
    d->host = host;
    locksets_init(&d->locksets, &host->mem);
    return d;
}

static void extend(void *self)
{
    struct eraser *d = self;
    struct mem *mem = &d->host->mem;
    d->variable = mem_reserve_tight(mem, d->variable, sizeof *d->variable, &d->variable_capacity,
                                    d->host->extent.variables);
    d->holder = mem_reserve(mem, d->holder, sizeof *d->holder, &d->holder_capacity, d->host->extent.threads);
}

static void stats(void *self, struct detector_stats *out)
{
    struct eraser *d = self;
    *out = (struct detector_stats){.sync_events = d->sync_events,
                                   .sync_bytes = d->holder_capacity * sizeof *d->holder};
    stats_rules(out, rule_table, d->fired, d->counted, RULES);
    out->variable_bytes = d->host->mem.bytes - out->sync_bytes;
    snprintf(out->note, sizeof out->note, "%zu different sets of locks", d->locksets.live);
}

static void destroy(void *self)
{
    struct eraser *d = self;
    struct mem *mem = &d->host->mem;
    mem_free(mem, d->variable, d->variable_capacity * sizeof *d->variable);
    mem_free(mem, d->holder, d->holder_capacity * sizeof *d->holder);
    locksets_free(&d->locksets);
    mem_free(mem, d, sizeof *d);
}

DETECTOR(eraser, struct eraser, .name = "eraser", .source = "Eraser (1997)",
         .promise = "imprecise: checks that one lock protects each variable; false alarms and misses",
         .precise = false);
