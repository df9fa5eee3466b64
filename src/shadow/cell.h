/* The rules of one location when it is accessed atomically as well as plainly, or byte by byte.
 *
 * FastTrack2 knows reads and writes. A C program also has atomic ones, which do not race with each other but
 * do race with plain ones. So an expanded location has four parts, each an epoch or a set (shadow/sets.h):
 *
 *   w   the last plain write              aw  atomic writes since
 *   r   plain reads since                 ar  atomic reads since
 *
 *   access         races with an unordered      then
 *   plain read     w, aw                        r := r with E
 *   plain write    w, r, aw, ar                 w := E, all others empty
 *   atomic read    w                            ar := ar with E
 *   atomic write   w, r                         aw := aw with E; ar that E is ordered after is dropped
 *
 * "With" drops what happens before E: whatever is unordered with it later is unordered with E too, and
 * conflicts with E whenever it conflicts with what was dropped, since both are of one kind.
 */
#pragma once

#include "shadow/crowd.h"
#include "shadow/chunks.h"
#include "shadow/gate.h"
#include "shadow/sets.h"

enum access_kind { PLAIN_READ, PLAIN_WRITE, ATOMIC_READ, ATOMIC_WRITE };

hot_inline bool kind_writes(enum access_kind kind)
{
    return kind & 1;
}

struct cell {
    uint32_t w, r, aw, ar;
};

/* Groups of byte cells for the thread's next words (shadow/bytes.h): bit i of `free` is that of first + i. */
struct groups_at_hand {
    uint64_t free;
    uint32_t first;
    uint32_t round; /* byte_round when it got them */
};
extern HIDDEN uint32_t byte_round; /* how many sweeps there were; changes while the world is stopped */

/* What a check needs to know of the thread that makes the access. */
struct actor {
    uint32_t now; /* its epoch as a half */
    const uint32_t *clock;
    struct gate gate;
    struct groups_at_hand groups;
    struct set_memo memo;
    bool crowd_changed; /* in the last access */
};

/* What it remembers of epochs and sets is no longer so. */
static inline void actor_forget(struct actor *t)
{
    t->memo = (struct set_memo){0};
}

/* Is the thread inside its gate, on a fast path? And: it will not go on there. */
hot_inline bool actor_inside(const struct actor *t)
{
    return t->gate.inside != 0;
}

hot_inline void actor_left(struct actor *t)
{
    t->gate.inside = 0;
}

/* An earlier access that the current one is unordered with. */
struct conflict {
    uint32_t earlier; /* its epoch; 0: there is none */
    enum access_kind kind;
};

hot_inline void conflict_with(struct conflict *c, uint32_t part, enum access_kind kind, const struct actor *t)
{
    if (likely(part == 0 || c->earlier != 0) || likely(!(part & NARROW_TAG) && half_before(part, t->clock)))
        return;
    c->earlier = sets_first_unordered(part, t->clock);
    c->kind = kind;
}

hot_inline uint32_t part_with(uint32_t part, struct actor *t)
{
    if (part == t->now)
        return part;
    if (!(part & NARROW_TAG) && half_before(part, t->clock))
        return t->now;
    return sets_with(part, t->now, t->clock, &t->memo);
}

/* The same for an atomic part: several accessors become a crowd of these bytes (shadow/crowd.h). */
hot_inline uint32_t atomic_part_with(uint32_t part, uint32_t bytes, struct actor *t)
{
    if (part == t->now)
        return part;
    if (!(part & NARROW_TAG) && half_before(part, t->clock))
        return t->now;
    if (bytes == 0 || (unlikely(!is_crowd(part)) && !vector_may_take()))
        return sets_with(part, t->now, t->clock, &t->memo);
    if (is_crowd(part) && load_relaxed(vector_entry(part, t->now)) == t->now)
        return part;
    t->crowd_changed = true;
    return crowd_with(part, bytes, t->now, t->clock);
}

/* The access's conflict, if any; the cell moves on as if it had been ordered. `crowd`: the bytes for which an atomic
 * access may use crowds, or 0. */
hot_inline struct conflict cell_access(struct cell *cell, enum access_kind kind, struct actor *t,
                                       uint32_t crowd)
{
    struct conflict c = {0, PLAIN_READ};
    if (cell->w != t->now)
        conflict_with(&c, cell->w, PLAIN_WRITE, t);
    switch (kind) {
    case PLAIN_READ:
        conflict_with(&c, cell->aw, ATOMIC_WRITE, t);
        if (cell->w != t->now || cell->r != 0) /* [READ OWN WRITE] */
            cell->r = part_with(cell->r, t);
        break;
    case PLAIN_WRITE:
        conflict_with(&c, cell->aw, ATOMIC_WRITE, t);
        conflict_with(&c, cell->r, PLAIN_READ, t);
        conflict_with(&c, cell->ar, ATOMIC_READ, t);
        *cell = (struct cell){.w = t->now};
        break;
    case ATOMIC_READ:
        if (cell->aw != t->now) /* as [READ OWN WRITE] */
            cell->ar = atomic_part_with(cell->ar, crowd, t);
        break;
    case ATOMIC_WRITE:
        conflict_with(&c, cell->r, PLAIN_READ, t);
        cell->aw = atomic_part_with(cell->aw, crowd, t);
        if (!(cell->ar & NARROW_TAG) && half_before(cell->ar, t->clock))
            cell->ar = 0;
        break;
    }
    return c;
}

hot_inline bool cell_same(const struct cell *a, const struct cell *b)
{
    return __builtin_memcmp(a, b, sizeof *a) == 0;
}

/* The same of copies: their parts stay in registers. */
hot_inline bool cell_same_parts(struct cell a, struct cell b)
{
    return a.w == b.w && a.r == b.r && a.aw == b.aw && a.ar == b.ar;
}
