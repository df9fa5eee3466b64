/* Is this trace one that a program could have produced? And what do its events mean to a detector?
 *
 * Checks the constraints of 000 §2 event by event and, in the same pass, resolves what detectors should not
 * each work out again:
 *   - inner acquires and releases of a re-entrant lock become OP_DUMMY: only the outermost pair counts;
 *   - a barrier's arrivals and departures get the id of their *round* instead of the barrier's, so that every
 *     round has a clock of its own;
 *   - the first event of a thread that nobody forked is flagged EVENT_STARTS_THREAD.
 *
 * Refused, with the reason: an event of a thread before its fork or after its join; forking a thread twice,
 * or itself; joining itself, or a thread that never started; acquiring a lock that another thread holds;
 * acquiring for writing what the same thread holds for reading; releasing what is not held; arriving at a
 * barrier twice without leaving it; leaving one without having arrived.
 *
 * Rounds: a barrier gathers arrivals until the first departure of a member closes the round; later arrivals
 * belong to the next. Members leave in any order, also while the next round already gathers.
 */
#pragma once

#include "base/mem.h"
#include "base/problem.h"
#include "trace/names.h"

struct feasible;

struct feasible *feasible_new(const struct names *names, bool closed_world);
void feasible_free(struct feasible *feasible);

/* Checks and resolves events in place. Returns how many are good; when that is less than count, the next one
 * is infeasible and problem->reason says why (the caller knows the line). */
size_t feasible_check(struct feasible *feasible, struct event *events, size_t count, struct problem *problem);

/* How many barrier rounds exist at most at a time: round ids stay below this. Ids are used again after
 * EVENT_LAST_OUT. */
uint32_t feasible_rounds(const struct feasible *feasible);
