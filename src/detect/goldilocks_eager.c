/* goldilocks-eager: the lockset rules of 004 Fig. 1 as they are written, applied to every lockset at every
 * synchronization event. For checking the lazy one: O(variables) per event, no short circuit, no shortcut.
 *
 * As in detect/goldilocks.c (which says why that is exact) a variable has a lockset for its last write and
 * one for each thread's last read since. Beyond the paper's rules:
 *
 *   rrel(l)   if t in LS, add l's readers          racq(l)  if l in LS, add t
 *   acq(l)    if l or l's readers in LS, add t
 *   bin(b)    if t in LS, add b                    bout(b)  if b in LS, add t; after the last, take b out
 */
#include <stdio.h>

#include "clock/lockset.h"
#include "detect/drive.h"
#include "detect/elements.h"

enum rule { FIRST_ACCESS, ORDERED, WRITE_READ_RACE, WRITE_WRITE_RACE, READ_WRITE_RACE, RULES };

static const struct rule_count rule_table[RULES] = {
    [FIRST_ACCESS] = {.rule = "NOTHING TO CONFLICT WITH"}, [ORDERED] = {.rule = "IN LOCKSET"},
    [WRITE_READ_RACE] = {.rule = "WRITE-READ RACE"},       [WRITE_WRITE_RACE] = {.rule = "WRITE-WRITE RACE"},
    [READ_WRITE_RACE] = {.rule = "READ-WRITE RACE"},
};

struct info {
    uint64_t event; /* 0: no such access */
    lockset set;
    uint32_t thread;
};

struct variable {
    struct info write;
    struct info *read; /* one a thread */
    size_t reads, read_capacity;
    uint32_t place; /* in the list of active variables + 1; 0: untouched */
};

struct eager {
    struct host *host;
    uint64_t fired[RULES];
    struct elements elements;
    struct locksets locksets;
    struct variable *variable;
    uint32_t *active; /* variables with a lockset */
    size_t variable_capacity, active_count, active_capacity;
    uint64_t sync_events;
    struct rule_count counted[RULES];
};

static uint32_t thread_element(struct eager *d, uint32_t thread)
{
    return elements_get(&d->elements, ELEMENT_THREAD, thread);
}

/* --- every lockset --- */

typedef void visit(struct eager *d, lockset *set, uint32_t a, uint32_t b);

static void for_each(struct eager *d, visit *apply, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < d->active_count; i++) {
        struct variable *v = &d->variable[d->active[i]];
        if (v->write.event != 0)
            apply(d, &v->write.set, a, b);
        for (size_t j = 0; j < v->reads; j++)
            apply(d, &v->read[j].set, a, b);
    }
}

static void add(struct eager *d, lockset *set, uint32_t from, uint32_t to)
{
    if (lockset_has(&d->locksets, *set, from))
        *set = lockset_with(&d->locksets, *set, to);
}

static void take_out(struct eager *d, lockset *set, uint32_t element, uint32_t unused)
{
    (void)unused;
    *set = lockset_without(&d->locksets, *set, element);
}

static void mark(struct eager *d, lockset *set, uint32_t unused, uint32_t unused_too)
{
    (void)unused, (void)unused_too;
    lockset_mark(&d->locksets, *set);
}

/* --- rules 2 to 7 --- */

static void publish(struct eager *d, uint32_t thread, enum element_class class, uint32_t id)
{
    for_each(d, add, thread_element(d, thread), elements_get(&d->elements, class, id));
}

static void acquire(struct eager *d, uint32_t thread, enum element_class class, uint32_t id)
{
    for_each(d, add, elements_get(&d->elements, class, id), thread_element(d, thread));
}

static void on_sync(struct eager *d, const struct event *e)
{
    d->sync_events++;
    switch (e->op) {
    case OP_ACQUIRE:
        acquire(d, e->thread, ELEMENT_LOCK, e->target);
        acquire(d, e->thread, ELEMENT_READERS, e->target);
        break;
    case OP_READ_ACQUIRE:
        acquire(d, e->thread, ELEMENT_LOCK, e->target);
        break;
    case OP_RELEASE:
        publish(d, e->thread, ELEMENT_LOCK, e->target);
        break;
    case OP_READ_RELEASE:
        publish(d, e->thread, ELEMENT_READERS, e->target);
        break;
    case OP_VREAD:
        acquire(d, e->thread, ELEMENT_VOLATILE, e->target);
        break;
    case OP_VWRITE:
        publish(d, e->thread, ELEMENT_VOLATILE, e->target);
        break;
    case OP_BARRIER_IN:
        publish(d, e->thread, ELEMENT_ROUND, e->target);
        break;
    case OP_BARRIER_OUT:
        if (!(e->flags & EVENT_NOBODY))
            acquire(d, e->thread, ELEMENT_ROUND, e->target);
        if (e->flags & EVENT_LAST_OUT)
            for_each(d, take_out, elements_get(&d->elements, ELEMENT_ROUND, e->target), 0);
        break;
    case OP_FORK:
        publish(d, e->thread, ELEMENT_THREAD, e->target);
        break;
    case OP_JOIN:
        if (!(e->flags & EVENT_NOBODY))
            acquire(d, e->thread, ELEMENT_THREAD, e->target);
        break;
    }
    if (locksets_crowded(&d->locksets)) {
        for_each(d, mark, 0, 0);
        locksets_sweep(&d->locksets);
    }
}

/* --- rules 1 and 8 --- */

static bool ordered(struct eager *d, const struct info *info, uint32_t thread)
{
    return lockset_has(&d->locksets, info->set, thread_element(d, thread));
}

static void describe(struct eager *d, struct info *info, uint32_t thread, uint64_t n)
{
    lockset self = lockset_with(&d->locksets, LOCKSET_EMPTY, thread_element(d, thread));
    *info = (struct info){.event = n, .set = self, .thread = thread};
}

static void activate(struct eager *d, uint32_t x)
{
    if (d->variable[x].place != 0)
        return;
    d->active =
        mem_reserve(&d->host->mem, d->active, sizeof *d->active, &d->active_capacity, d->active_count + 1);
    d->active[d->active_count++] = x;
    d->variable[x].place = (uint32_t)d->active_count;
}

static struct info *read_of(struct eager *d, struct variable *v, uint32_t thread)
{
    for (size_t i = 0; i < v->reads; i++)
        if (v->read[i].thread == thread)
            return &v->read[i];
    v->read = mem_reserve(&d->host->mem, v->read, sizeof *v->read, &v->read_capacity, v->reads + 1);
    return &v->read[v->reads++];
}

static int on_read(struct eager *d, uint32_t thread, uint32_t x, uint64_t n)
{
    struct variable *v = &d->variable[x];
    enum rule rule = v->write.event == 0 ? FIRST_ACCESS : ORDERED;
    if (v->write.event != 0 && !ordered(d, &v->write, thread)) {
        host_race(d->host, RACE_WRITE_READ, x, v->write.event, n);
        rule = WRITE_READ_RACE;
    }
    activate(d, x);
    describe(d, read_of(d, v, thread), thread, n);
    return rule;
}

static int on_write(struct eager *d, uint32_t thread, uint32_t x, uint64_t n)
{
    struct variable *v = &d->variable[x];
    enum rule rule = v->place == 0 ? FIRST_ACCESS : ORDERED;
    if (v->write.event != 0 && !ordered(d, &v->write, thread)) {
        host_race(d->host, RACE_WRITE_WRITE, x, v->write.event, n);
        rule = WRITE_WRITE_RACE;
    }
    for (size_t i = 0; i < v->reads; i++)
        if (!ordered(d, &v->read[i], thread)) {
            host_race(d->host, RACE_READ_WRITE, x, v->read[i].event, n);
            rule = READ_WRITE_RACE;
        }
    activate(d, x);
    describe(d, &v->write, thread, n);
    v->reads = 0;
    return rule;
}

static void on_alloc(struct eager *d, uint32_t x)
{
    struct variable *v = &d->variable[x];
    if (v->place == 0)
        return;
    uint32_t moved = d->active[--d->active_count];
    d->active[v->place - 1] = moved;
    d->variable[moved].place = v->place;
    v->place = 0;
    v->write = (struct info){0};
    v->reads = 0;
}

static void copy(void *self, uint32_t from, uint32_t to)
{
    struct eager *d = self;
    const struct variable *v = &d->variable[from];
    struct variable *own = &d->variable[to];
    if (v->place == 0)
        return;
    activate(d, to);
    own->write = v->write;
    own->read = mem_reserve(&d->host->mem, own->read, sizeof *own->read, &own->read_capacity, v->reads);
    for (size_t i = 0; i < v->reads; i++)
        own->read[i] = v->read[i];
    own->reads = v->reads;
}

static void on_start(struct eager *d, uint32_t thread)
{
    (void)d, (void)thread;
}

/* --- life --- */

static void *create(struct host *host)
{
    struct eager *d = mem_alloc(&host->mem, sizeof *d);
    d->host = host;
    locksets_init(&d->locksets, &host->mem);
    return d;
}

static void extend(void *self)
{
    struct eager *d = self;
    elements_extend(&d->elements, &d->host->mem, &d->host->extent);
    d->variable = mem_reserve(&d->host->mem, d->variable, sizeof *d->variable, &d->variable_capacity,
                              d->host->extent.variables);
}

static void stats(void *self, struct detector_stats *out)
{
    struct eager *d = self;
    *out = (struct detector_stats){.sync_events = d->sync_events};
    stats_rules(out, rule_table, d->fired, d->counted, RULES);
    /* Everything but the numbering of elements is kept for variables. */
    for (size_t i = 0; i < ELEMENT_CLASSES; i++)
        out->sync_bytes += d->elements.capacity[i] * sizeof(uint32_t);
    out->variable_bytes = d->host->mem.bytes - out->sync_bytes;
    for (size_t i = 0; i < d->active_count; i++)
        out->read_shared += d->variable[d->active[i]].reads > 1;
    snprintf(out->note, sizeof out->note, "%zu different locksets", d->locksets.live);
}

static void destroy(void *self)
{
    struct eager *d = self;
    struct mem *mem = &d->host->mem;
    for (size_t i = 0; i < d->variable_capacity; i++)
        mem_free(mem, d->variable[i].read, d->variable[i].read_capacity * sizeof(struct info));
    mem_free(mem, d->variable, d->variable_capacity * sizeof *d->variable);
    mem_free(mem, d->active, d->active_capacity * sizeof *d->active);
    elements_free(&d->elements, mem);
    locksets_free(&d->locksets);
    mem_free(mem, d, sizeof *d);
}

DETECTOR(goldilocks_eager, struct eager, .name = "goldilocks-eager", .source = "Goldilocks (2006), Fig. 1",
         .promise = "precise; the lockset rules as written, for checking the lazy one", .precise = true);
