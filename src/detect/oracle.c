/* oracle: the definition of a race, carried out. Slow; the judge of all other detectors.
 *
 * Builds the happens-before order as an explicit graph and searches it. No clocks, no epochs, no locksets, no
 * lemma about which accesses may be forgotten: nothing in common with what it judges.
 *
 *   nodes   a *segment*: what one thread does between two of its synchronization events; or the *mailbox* of
 *           a sync object after one more release into it (lock by writers, lock by readers, volatile, round)
 *   edges   from a node to those that directly precede it: the thread's previous segment; for a segment that
 *           begins with an acquire, the mailbox (two for acq); with a join, the joined thread's last segment;
 *           for a forked thread's first segment, the forking one; for a mailbox, the releasing segment and
 * the mailbox as it was before (every earlier release precedes a later acquire)
 *
 * An access happens before another if its segment can be reached backwards from the other's, or is the same.
 * A node's predecessors were made before it, so predecessors have smaller numbers and a search can stop
 * there.
 *
 * Memory grows with the trace: one node per synchronization event, one entry per variable and segment that
 * accessed it (the first read and the first write there stand for the rest of the segment: they have the same
 * predecessors and successors in the graph).
 */
#include "detect/drive.h"

enum rule { ALONE, ORDERED, RACE, RULES };

static const struct rule_count rule_table[RULES] = {[ALONE] = {.rule = "NOTHING TO CONFLICT WITH"},
                                                    [ORDERED] = {.rule = "ORDERED"},
                                                    [RACE] = {.rule = "RACE"}};

#define NO_NODE 0 /* nodes are numbered from 1 */

struct node {
    uint32_t before[3];
};

struct access {
    uint64_t event;
    uint32_t node, thread;
    bool write;
};

struct variable {
    struct access *access;
    size_t count, capacity;
};

struct oracle {
    struct host *host;
    uint64_t fired[RULES];
    struct node *node;
    size_t nodes, node_capacity;
    uint32_t *reached; /* by node: number of the search that reached it */
    size_t reached_capacity;
    uint32_t search;
    uint32_t *stack;
    size_t stack_capacity;
    /* Current node of each thread and sync object. */
    uint32_t *thread, *lock, *readers, *volatiles, *rounds;
    size_t thread_capacity, lock_capacity, readers_capacity, volatiles_capacity, rounds_capacity;
    struct variable *variable;
    size_t variable_capacity;
    uint64_t sync_events;
    struct rule_count counted[RULES];
};

/* --- the graph --- */

static uint32_t add_node(struct oracle *d, uint32_t a, uint32_t b, uint32_t c)
{
    struct mem *mem = &d->host->mem;
    require(d->nodes < UINT32_MAX - 1);
    d->node = mem_reserve(mem, d->node, sizeof *d->node, &d->node_capacity, d->nodes + 2);
    d->reached = mem_reserve(mem, d->reached, sizeof *d->reached, &d->reached_capacity, d->nodes + 2);
    d->node[++d->nodes] = (struct node){{a, b, c}};
    return (uint32_t)d->nodes;
}

static void next_segment(struct oracle *d, uint32_t thread, uint32_t also, uint32_t and_also)
{
    d->thread[thread] = add_node(d, d->thread[thread], also, and_also);
}

static void release(struct oracle *d, uint32_t thread, uint32_t *mailbox)
{
    *mailbox = add_node(d, d->thread[thread], *mailbox, NO_NODE);
    next_segment(d, thread, NO_NODE, NO_NODE);
}

static void on_start(struct oracle *d, uint32_t thread)
{
    d->thread[thread] = add_node(d, NO_NODE, NO_NODE, NO_NODE);
}

static void on_sync(struct oracle *d, const struct event *e)
{
    uint32_t t = e->thread, s = e->target;
    d->sync_events++;
    switch (e->op) {
    case OP_ACQUIRE:
        next_segment(d, t, d->lock[s], d->readers[s]);
        break;
    case OP_RELEASE:
        release(d, t, &d->lock[s]);
        break;
    case OP_READ_ACQUIRE:
        next_segment(d, t, d->lock[s], NO_NODE);
        break;
    case OP_READ_RELEASE:
        release(d, t, &d->readers[s]);
        break;
    case OP_VREAD:
        next_segment(d, t, d->volatiles[s], NO_NODE);
        break;
    case OP_VWRITE:
        release(d, t, &d->volatiles[s]);
        break;
    case OP_BARRIER_IN:
        release(d, t, &d->rounds[s]);
        break;
    case OP_BARRIER_OUT:
        if (!(e->flags & EVENT_NOBODY))
            next_segment(d, t, d->rounds[s], NO_NODE);
        if (e->flags & EVENT_LAST_OUT)
            d->rounds[s] = NO_NODE; /* the id is given to another round */
        break;
    case OP_FORK:
        d->thread[s] = add_node(d, d->thread[t], NO_NODE, NO_NODE);
        next_segment(d, t, NO_NODE, NO_NODE);
        break;
    case OP_JOIN:
        if (!(e->flags & EVENT_NOBODY))
            next_segment(d, t, d->thread[s], NO_NODE);
        break;
    }
}

/* Marks all nodes from `lowest` on that precede `from`, and `from` itself. */
static void search_back(struct oracle *d, uint32_t from, uint32_t lowest)
{
    struct mem *mem = &d->host->mem;
    size_t depth = 0;
    d->search++;
    d->stack = mem_reserve(mem, d->stack, sizeof *d->stack, &d->stack_capacity, 1);
    d->stack[depth++] = from;
    d->reached[from] = d->search;
    while (depth > 0) {
        const struct node *node = &d->node[d->stack[--depth]];
        d->stack = mem_reserve(mem, d->stack, sizeof *d->stack, &d->stack_capacity, depth + 3);
        for (size_t i = 0; i < array_length(node->before); i++) {
            uint32_t before = node->before[i];
            if (before < lowest || before == NO_NODE || d->reached[before] == d->search)
                continue;
            d->reached[before] = d->search;
            d->stack[depth++] = before;
        }
    }
}

/* --- accesses --- */

static bool conflicts(const struct access *a, const struct access *b)
{
    return a->thread != b->thread && (a->write || b->write);
}

static enum race_kind kind_of(const struct access *first, const struct access *second)
{
    if (!first->write)
        return RACE_READ_WRITE;
    return second->write ? RACE_WRITE_WRITE : RACE_WRITE_READ;
}

/* The first access in its segment that is like this one. */
static const struct access *like(const struct variable *v, const struct access *now)
{
    for (size_t i = v->count; i-- > 0;)
        if (v->access[i].node == now->node && v->access[i].write == now->write)
            return &v->access[i];
    return NULL;
}

static int judge(struct oracle *d, const struct variable *v, uint32_t x, const struct access *now)
{
    uint32_t lowest = UINT32_MAX;
    for (size_t i = 0; i < v->count; i++)
        if (conflicts(&v->access[i], now) && v->access[i].node < lowest)
            lowest = v->access[i].node;
    if (lowest == UINT32_MAX)
        return ALONE;
    search_back(d, now->node, lowest);
    int rule = ORDERED;
    for (size_t i = 0; i < v->count; i++) {
        const struct access *a = &v->access[i];
        if (conflicts(a, now) && d->reached[a->node] != d->search) {
            host_race(d->host, kind_of(a, now), x, a->event, now->event);
            rule = RACE;
        }
    }
    return rule;
}

static int access(struct oracle *d, uint32_t thread, uint32_t x, uint64_t n, bool write)
{
    struct variable *v = &d->variable[x];
    struct access now = {.event = n, .node = d->thread[thread], .thread = thread, .write = write};
    int rule = judge(d, v, x, &now);
    if (like(v, &now) == NULL) {
        v->access = mem_reserve(&d->host->mem, v->access, sizeof now, &v->capacity, v->count + 1);
        v->access[v->count++] = now;
    }
    return rule;
}

static int on_read(struct oracle *d, uint32_t thread, uint32_t x, uint64_t n)
{
    return access(d, thread, x, n, false);
}

static int on_write(struct oracle *d, uint32_t thread, uint32_t x, uint64_t n)
{
    return access(d, thread, x, n, true);
}

static void on_alloc(struct oracle *d, uint32_t x)
{
    d->variable[x].count = 0;
}

static void copy(void *self, uint32_t from, uint32_t to)
{
    struct oracle *d = self;
    const struct variable *v = &d->variable[from];
    struct variable *own = &d->variable[to];
    own->access = mem_reserve(&d->host->mem, own->access, sizeof *own->access, &own->capacity, v->count);
    for (size_t i = 0; i < v->count; i++)
        own->access[i] = v->access[i];
    own->count = v->count;
}

/* --- life --- */

static void *create(struct host *host)
{
    struct oracle *d = mem_alloc(&host->mem, sizeof *d);
    d->host = host;
    return d;
}

static void extend(void *self)
{
    struct oracle *d = self;
    struct mem *mem = &d->host->mem;
    const struct extent *to = &d->host->extent;
    d->thread = mem_reserve(mem, d->thread, sizeof(uint32_t), &d->thread_capacity, to->threads);
    d->lock = mem_reserve(mem, d->lock, sizeof(uint32_t), &d->lock_capacity, to->locks);
    d->readers = mem_reserve(mem, d->readers, sizeof(uint32_t), &d->readers_capacity, to->locks);
    d->volatiles = mem_reserve(mem, d->volatiles, sizeof(uint32_t), &d->volatiles_capacity, to->volatiles);
    d->rounds = mem_reserve(mem, d->rounds, sizeof(uint32_t), &d->rounds_capacity, to->rounds);
    d->variable = mem_reserve(mem, d->variable, sizeof *d->variable, &d->variable_capacity, to->variables);
}

static void stats(void *self, struct detector_stats *out)
{
    struct oracle *d = self;
    *out = (struct detector_stats){.sync_events = d->sync_events,
                                   .sync_bytes = d->node_capacity * (sizeof(struct node) + sizeof(uint32_t)),
                                   .variable_bytes = d->variable_capacity * sizeof *d->variable};
    stats_rules(out, rule_table, d->fired, d->counted, RULES);
    for (size_t i = 0; i < d->variable_capacity; i++)
        out->variable_bytes += d->variable[i].capacity * sizeof(struct access);
}

static void destroy(void *self)
{
    struct oracle *d = self;
    struct mem *mem = &d->host->mem;
    for (size_t i = 0; i < d->variable_capacity; i++)
        mem_free(mem, d->variable[i].access, d->variable[i].capacity * sizeof(struct access));
    mem_free(mem, d->variable, d->variable_capacity * sizeof *d->variable);
    mem_free(mem, d->node, d->node_capacity * sizeof *d->node);
    mem_free(mem, d->reached, d->reached_capacity * sizeof *d->reached);
    mem_free(mem, d->stack, d->stack_capacity * sizeof *d->stack);
    mem_free(mem, d->thread, d->thread_capacity * sizeof(uint32_t));
    mem_free(mem, d->lock, d->lock_capacity * sizeof(uint32_t));
    mem_free(mem, d->readers, d->readers_capacity * sizeof(uint32_t));
    mem_free(mem, d->volatiles, d->volatiles_capacity * sizeof(uint32_t));
    mem_free(mem, d->rounds, d->rounds_capacity * sizeof(uint32_t));
    mem_free(mem, d, sizeof *d);
}

DETECTOR(
    oracle, struct oracle, .name = "oracle", .source = "the definition of a race",
    .promise = "precise; the definition itself, as a graph search: slow, keeps the whole order in memory",
    .precise = true);
