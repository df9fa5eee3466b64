/* What a race is, by definition, for small traces: the judge of every detector, the oracle included.
 *
 * Takes a feasible trace as its reader delivers it: locks may be re-entrant, barriers are not yet resolved
 * into rounds. Decides for every pair of events whether one happens before the other by trying all pairs for
 * a direct edge and closing transitively. Shares nothing with the detectors, nor with trace/feasible.h.
 *
 * Direct edges from an event to a later one (000 §2, 004 Def. 1, and what STD has beyond them):
 *   any two events of one thread
 *   rel(l) to acq(l) and racq(l); rrel(l) to acq(l)
 *   vw(x) to vr(x)
 *   fork(u) to the events of u; the events of u to join(u); fork(u) to join(u), for a u that shows no event
 * of its own still begins and ends in between (000 §2 excludes such traces; ours may have them) bin(b) to
 * bout(b) of the same round: arrivals up to the first departure of one of them are one round Two accesses
 * race if they conflict, no alloc of their variable stands between them, and neither happens before the
 * other.
 */
#pragma once

#include "trace/event.h"

enum { JUDGE_MOST = 512 }; /* events, and ids of a class */

struct judge {
    size_t count;
    const struct event *event;                    /* borrowed; event[0] has number 1 */
    uint64_t before[JUDGE_MOST][JUDGE_MOST / 64]; /* before[b] has bit a: a happens before b; both from 0 */
    uint32_t era[JUDGE_MOST];                     /* of an access: allocs of its variable before it */
    uint32_t round[JUDGE_MOST];                   /* of a bin or bout */
    uint64_t first[JUDGE_MOST]; /* by variable: the first event that races with an earlier one, or 0 */
    size_t racy;                /* how many variables have one */
};

void judge_trace(struct judge *judge, const struct event *events, size_t count);

/* Do these two events (numbers from 1, first < second) race? */
bool judge_race(const struct judge *judge, uint64_t first, uint64_t second);
