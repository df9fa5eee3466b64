/* Goldilocks' update list (004 §3): answers "does this access happen before what thread t does now?" by
 * applying the lockset rules lazily.
 *
 * Cells. All rules 2-7 of 004 Fig. 1 have one form: *if `from` is in the lockset, add `to`*. A
 * synchronization event appends one such cell (acq of a lock that was also held for reading: two):
 *
 *   rel(l)  t -> l      rrel(l)  t -> l's readers      vw(v)  t -> v      bin(b)   t -> b      fork(u)  t ->
 * u acq(l)  l -> t, l's readers -> t    racq(l)  l -> t    vr(v)  v -> t    bout(b)  b -> t    join(u)  u ->
 * t
 *
 * and a cell e -> e takes e *out* of the lockset: round ids are used again (EVENT_LAST_OUT), and without it
 * the new round would seem to continue the old one. Cells have positions 1, 2, 3 ... over the whole run.
 *
 * Points. An access is known by its thread and the position of the next cell: its *point*. All accesses of a
 * thread between two cells that leave the thread (a *segment*) share one point: the same cells decide about
 * all of them. The lockset of a point is {owner} when it is born, and grows by the cells from there on.
 *
 * Folding. A variable that is never touched again would keep its cells for ever. When the list is full, it is
 * folded away: the locksets of all points are brought up to date. They need not be stored one by one, because
 * those of one owner are nested: what an access reaches, the owner's earlier accesses reach as well. So it is
 * enough to keep for each owner and element the newest position that reaches it (`last`):
 *
 *   lockset of a point born at p by u, when the list begins  =  {u} ∪ { e : u's last(e) ≥ p }
 *
 * This takes (owners with points) x (elements that they reach), however many variables there are. (A stored
 * set for every point would take variables x elements: 100,000 objects with a lock each, 20 GB.)
 *
 * Settled points. In a closed world, what is in the lockset with all running threads happens before
 * everything to come. `settled` is the newest such position of an owner; what is older needs no lockset.
 *
 * Limits: folding costs one pass over the list for every LANES owners, so with T threads about T / LANES
 * steps a cell. Threads that end without being joined settle nothing, and count as running for ever.
 */
#pragma once

#include "detect/elements.h"

struct cell {
    uint32_t from, to;
};
_Static_assert(sizeof(struct cell) == 8, "eight cells a cache line");

struct point {
    uint64_t born;  /* position of the first cell that its lockset has not seen */
    uint32_t owner; /* thread; of a free point: the next free one */
    uint32_t uses;  /* by variables, and one by its owner while the segment lasts */
};

/* An element that the owner's points up to `last` reach. */
struct reached {
    uint64_t last;
    uint32_t element;
};

struct updates_thread {
    uint64_t last_in; /* position of the last cell that adds this thread to locksets; 0: none */
    uint64_t newest;  /* born of its newest point */
    uint64_t settled;
    uint32_t element;
    uint32_t current; /* point of the current segment; 0 before its first access */
    uint32_t points;  /* in use */
    uint32_t running; /* place in the list of running threads + 1; 0: not running */
    struct reached *reached;
    size_t reached_count;
};

/* What is known about the order between a thread and another thread's accesses. Both statements are about
 * all points at once because the order respects the owner's program order. */
struct known_order {
    uint32_t thread, owner;
    uint64_t ordered;   /* points of owner born up to here happen before thread */
    uint64_t unordered; /* points of owner born from here on do not, ... */
    uint64_t as_of;     /* ... as long as this is the thread's last_in */
};

enum { LANES = 8 }; /* owners that are folded together: a row is a cache line */

struct updates {
    struct mem *mem;
    bool closed_world;
    struct elements elements;
    struct updates_thread *thread;
    uint32_t *running;
    size_t thread_capacity, running_count, running_capacity;

    struct cell *cell;                /* cell[i] has position base + i */
    size_t cells, limit, least_limit; /* limit: room for so many */
    size_t fold_at;                   /* fold before there are more cells than this */
    uint64_t base;
    uint64_t walked, fold_cost; /* steps of checks since the last fold; steps that a fold takes */

    struct point *point; /* [0] stays unused */
    size_t points, point_capacity, points_in_use;
    uint32_t free_point;

    /* By element. */
    uint32_t *stamp; /* in the current temporary lockset iff equal to `now` */
    uint32_t now;
    /* The thread + 1 that is in every lockset that has this element: acquiring adds nothing to any. 0: the
     * element is in no lockset. NO_INSIDER: no such thread is known. */
    uint32_t *insider;
    uint64_t (*row)[LANES]; /* scratch of a fold: `last` for LANES owners */
    uint32_t *touched;      /* scratch of a fold: elements with a row */
    size_t stamp_capacity, insider_capacity, row_capacity, touched_capacity;

    struct known_order *known;

    uint64_t locksets, steps, folds, folded; /* computed; cells looked at for them; and cells of all folds */
};

/* Folds when the list has at least `limit` cells and it is worth while. */
void updates_init(struct updates *u, struct mem *mem, bool closed_world, size_t limit);
void updates_free(struct updates *u);
void updates_extend(struct updates *u, const struct extent *extent);
void updates_start(struct updates *u, uint32_t thread);
void updates_sync(struct updates *u, const struct event *event);

/* The thread's point now, for an access that is kept: the caller owns one use of it. */
uint32_t updates_point(struct updates *u, uint32_t thread);
void updates_drop(struct updates *u, uint32_t point);

/* The thread's point, or 0 where nothing was accessed in the current segment. */
static inline uint32_t updates_current(const struct updates *u, uint32_t thread)
{
    return u->thread[thread].current;
}

static inline uint32_t updates_owner(const struct updates *u, uint32_t point)
{
    return u->point[point].owner;
}

/* How it was decided. */
enum updates_answer { UPDATES_KNOWN, UPDATES_COMPUTED, UPDATES_UNORDERED };

/* Do the accesses of this point happen before what the thread does now? */
enum updates_answer updates_ordered(struct updates *u, uint32_t point, uint32_t thread);

size_t updates_point_bytes(const struct updates *u);
