#include "support/judge.h"

#include <string.h>

/* Gives bin and bout events their round: a number per barrier that grows when a round closes. */
static void find_rounds(struct judge *judge)
{
    uint32_t gathering[JUDGE_MOST] = {0};
    for (size_t i = 0; i < judge->count; i++) {
        const struct event *e = &judge->event[i];
        if (e->op == OP_BARRIER_IN)
            judge->round[i] = gathering[e->target];
        if (e->op != OP_BARRIER_OUT)
            continue;
        size_t arrival = i;
        do
            require(arrival-- > 0);
        while (judge->event[arrival].op != OP_BARRIER_IN || judge->event[arrival].thread != e->thread ||
               judge->event[arrival].target != e->target);
        judge->round[i] = judge->round[arrival];
        if (judge->round[i] == gathering[e->target])
            gathering[e->target]++;
    }
}

static void find_eras(struct judge *judge)
{
    uint32_t era[JUDGE_MOST] = {0};
    for (size_t i = 0; i < judge->count; i++) {
        const struct event *e = &judge->event[i];
        if (e->op == OP_ALLOC)
            era[e->target]++;
        if (op_is_access(e->op))
            judge->era[i] = era[e->target];
    }
}

/* Is there a direct edge from event a to the later event b? */
static bool edge(const struct judge *judge, size_t a, size_t b)
{
    const struct event *from = &judge->event[a], *to = &judge->event[b];
    if (from->thread == to->thread)
        return true;
    if ((from->op == OP_FORK && from->target == to->thread) ||
        (to->op == OP_JOIN && to->target == from->thread))
        return true;
    if (from->target != to->target)
        return false;
    switch (from->op) {
    case OP_FORK:
        return to->op == OP_JOIN;
    case OP_RELEASE:
        return to->op == OP_ACQUIRE || to->op == OP_READ_ACQUIRE;
    case OP_READ_RELEASE:
        return to->op == OP_ACQUIRE;
    case OP_VWRITE:
        return to->op == OP_VREAD;
    case OP_BARRIER_IN:
        return to->op == OP_BARRIER_OUT && judge->round[a] == judge->round[b];
    default:
        return false;
    }
}

static bool ordered(const struct judge *judge, size_t a, size_t b)
{
    return judge->before[b][a / 64] >> a % 64 & 1;
}

/* The rows of earlier events are complete, so one level of edges closes a row. */
static void close_row(struct judge *judge, size_t b)
{
    uint64_t *row = judge->before[b];
    memset(row, 0, sizeof judge->before[b]);
    for (size_t a = b; a-- > 0;) {
        if (ordered(judge, a, b) || !edge(judge, a, b))
            continue;
        row[a / 64] |= UINT64_C(1) << a % 64;
        for (size_t word = 0; word <= a / 64; word++)
            row[word] |= judge->before[a][word];
    }
}

bool judge_race(const struct judge *judge, uint64_t first, uint64_t second)
{
    if (first < 1 || first >= second || second > judge->count)
        return false;
    size_t a = first - 1, b = second - 1;
    const struct event *x = &judge->event[a], *y = &judge->event[b];
    bool conflict = op_is_access(x->op) && op_is_access(y->op) && x->target == y->target &&
                    (x->op == OP_WRITE || y->op == OP_WRITE);
    return conflict && judge->era[a] == judge->era[b] && !ordered(judge, a, b);
}

static bool races_with_earlier(const struct judge *judge, uint64_t second)
{
    for (uint64_t first = 1; first < second; first++)
        if (judge_race(judge, first, second))
            return true;
    return false;
}

static void find_first_races(struct judge *judge)
{
    memset(judge->first, 0, sizeof judge->first);
    judge->racy = 0;
    for (uint64_t n = 1; n <= judge->count; n++) {
        const struct event *e = &judge->event[n - 1];
        if (op_is_access(e->op) && judge->first[e->target] == 0 && races_with_earlier(judge, n)) {
            judge->first[e->target] = n;
            judge->racy++;
        }
    }
}

void judge_trace(struct judge *judge, const struct event *events, size_t count)
{
    require(count <= JUDGE_MOST);
    judge->count = count;
    judge->event = events;
    for (size_t i = 0; i < count; i++)
        require(events[i].target < JUDGE_MOST || events[i].target == NO_TARGET);
    find_rounds(judge);
    find_eras(judge);
    for (size_t b = 0; b < count; b++)
        close_row(judge, b);
    find_first_races(judge);
}
