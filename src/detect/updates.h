/* Goldilocks' update list (004 §3): answers "does this access happen before what thread t does now?" by
 * applying the lockset rules lazily.
 *
 * Cells. All rules 2-7 of 004 Fig. 1 have one form: *if `from` is in the lockset, add `to`*. A
 * synchronization event of thread t appends one such cell (acq of a lock that readers released: two):
 *
 *   rel(l)    t -> l                acq(l)    l -> t, readers of l -> t
 *   rrel(l)   t -> readers of l     racq(l)   l -> t
 *   vw(v)     t -> v                vr(v)     v -> t
 *   bin(b)    t -> b                bout(b)   b -> t
 *   fork(u)   t -> u                join(u)   u -> t
 *
 * A cell e -> e takes e *out* of the lockset: round ids are used again (EVENT_LAST_OUT), and without it the
 * new round would seem to continue the old one. Cells have positions 1, 2, 3 ... over the whole run.
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
 * This takes 8 bytes for an owner and an element, however many variables there are. (A stored set for every
 * point would take variables x elements: 100,000 objects with a lock each, 20 GB.) Owners are folded in
 * groups of LANES; groups without points in use are neither folded nor kept, so cells that no access needs
 * cost nothing.
 *
 * Settled points. In a closed world, an access whose lockset has all running threads happens before
 * everything to come. `settled` is the newest such position of an owner; what is older needs no lockset.
 *
 * Limits: a fold is one pass over the list for every group: with T threads about T / LANES steps a cell.
 * Threads that end without being joined settle nothing, and count as running for ever.
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

enum { LANES = 8 };

/* What the points of threads LANES * i .. LANES * i + LANES - 1 have reached when the list begins. */
struct updates_group {
    uint32_t *index;        /* by element: its row, or 0; NULL where nothing is kept */
    uint64_t (*row)[LANES]; /* `last` of each owner; 0: no point reaches the element. A cache line */
    size_t index_capacity, rows, row_capacity;
};

struct updates_thread {
    uint64_t last_in; /* position of the last cell that adds this thread to locksets; 0: none */
    uint64_t newest;  /* born of its newest point */
    uint64_t settled;
    uint32_t element;
    uint32_t current; /* point of the current segment; 0 before its first access */
    uint32_t points;  /* in use */
    uint32_t running; /* place in the list of running threads + 1; 0: not running */
};

/* What is known about the order between a thread and another thread's accesses. Both statements are about
 * all points at once because the order respects the owner's program order. */
struct known_order {
    uint32_t thread, owner;
    uint64_t ordered;   /* points of owner born up to here happen before thread */
    uint64_t unordered; /* points of owner born from here on do not, ... */
    uint64_t as_of;     /* ... as long as this is the thread's last_in */
};

struct updates {
    struct mem *mem;
    const bool *closed_world; /* the host's: may end */
    struct elements elements;
    struct updates_thread *thread; /* LANES for every group */
    struct updates_group *group;
    uint32_t *running;
    size_t groups, thread_capacity, group_capacity, running_count, running_capacity;

    struct cell *cell;           /* cell[i] has position base + i */
    size_t cells, limit;         /* there are; there is room for */
    size_t least_limit, fold_at; /* a list that reaches fold_at is folded */
    size_t active_groups;        /* that a fold goes over the list for */
    uint64_t base, walked;       /* walked: steps of all checks since the last fold */

    struct point *point; /* [0] stays unused */
    size_t points, point_capacity;
    uint32_t free_point;

    /* By element, for the one temporary lockset: in it (equal to `in`), not in it (in - 1), or not looked at
     * yet (less). */
    uint32_t *stamp;
    uint32_t in;
    /* By element: the thread + 1 that is in every lockset that has the element, so that its acquiring adds
     * nothing to any. 0: the element is in no lockset. NO_INSIDER: no such thread is known. */
    uint32_t *insider;
    size_t stamp_capacity, insider_capacity;

    struct known_order *known;

    uint64_t locksets, steps, folds, folded; /* computed, in so many steps; and of how many cells */
};

/* limit: fold no fewer cells than this at a time. */
void updates_init(struct updates *u, struct mem *mem, const bool *closed_world, size_t limit);
void updates_free(struct updates *u);
void updates_extend(struct updates *u, const struct extent *extent);
void updates_start(struct updates *u, uint32_t thread);
void updates_sync(struct updates *u, const struct event *event);

/* The thread's point now, for an access that is kept: the caller owns one use of it. */
uint32_t updates_point(struct updates *u, uint32_t thread);
void updates_drop(struct updates *u, uint32_t point);

/* One more use of a point that is in use. */
static inline void updates_keep(struct updates *u, uint32_t point)
{
    u->point[point].uses++;
}

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
