#include "detect/updates.h"

#include <string.h>

#define NO_INSIDER UINT32_MAX
#define OWN        UINT64_MAX /* in a row: the owner itself, which all its points up to now reach */

enum { KNOWN_ORDERS = 4096 }; /* all pairs of 64 threads */
enum { IN_STEP = 2 };         /* stamps a temporary lockset */

/* --- life --- */

void updates_init(struct updates *u, struct mem *mem, const bool *closed_world, size_t limit)
{
    *u = (struct updates){.mem = mem,
                          .closed_world = closed_world,
                          .limit = limit,
                          .least_limit = limit,
                          .fold_at = limit,
                          .base = 1,
                          .points = 1,
                          .in = IN_STEP};
    u->cell = mem_alloc(mem, limit * sizeof *u->cell);
    u->point = mem_reserve(mem, NULL, sizeof *u->point, &u->point_capacity, 1);
    u->known = mem_alloc(mem, KNOWN_ORDERS * sizeof *u->known);
}

static void group_drop(struct updates *u, struct updates_group *group)
{
    mem_free(u->mem, group->index, group->index_capacity * sizeof *group->index);
    mem_free(u->mem, group->row, group->row_capacity * sizeof *group->row);
    *group = (struct updates_group){0};
}

void updates_free(struct updates *u)
{
    for (size_t i = 0; i < u->group_capacity; i++)
        group_drop(u, &u->group[i]);
    elements_free(&u->elements, u->mem);
    mem_free(u->mem, u->thread, u->thread_capacity * sizeof *u->thread);
    mem_free(u->mem, u->group, u->group_capacity * sizeof *u->group);
    mem_free(u->mem, u->running, u->running_capacity * sizeof *u->running);
    mem_free(u->mem, u->cell, u->limit * sizeof *u->cell);
    mem_free(u->mem, u->point, u->point_capacity * sizeof *u->point);
    mem_free(u->mem, u->stamp, u->stamp_capacity * sizeof *u->stamp);
    mem_free(u->mem, u->insider, u->insider_capacity * sizeof *u->insider);
    mem_free(u->mem, u->known, KNOWN_ORDERS * sizeof *u->known);
}

void updates_extend(struct updates *u, const struct extent *extent)
{
    u->groups = extent->threads / LANES + 1;
    elements_extend(&u->elements, u->mem, extent);
    u->group = mem_reserve(u->mem, u->group, sizeof *u->group, &u->group_capacity, u->groups);
    u->thread = mem_reserve(u->mem, u->thread, sizeof *u->thread, &u->thread_capacity, u->groups * LANES);
}

static uint32_t element_of(struct updates *u, enum element_class class, uint32_t id)
{
    uint32_t element = elements_get(&u->elements, class, id);
    size_t need = (size_t)u->elements.count + 1;
    u->stamp = mem_reserve(u->mem, u->stamp, sizeof *u->stamp, &u->stamp_capacity, need);
    u->insider = mem_reserve(u->mem, u->insider, sizeof *u->insider, &u->insider_capacity, need);
    return element;
}

/* --- points --- */

static uint32_t new_point(struct updates *u)
{
    if (u->free_point != 0) {
        uint32_t index = u->free_point;
        u->free_point = u->point[index].owner;
        return index;
    }
    require(u->points < UINT32_MAX);
    u->point = mem_reserve_tight(u->mem, u->point, sizeof *u->point, &u->point_capacity, u->points + 1);
    return (uint32_t)u->points++;
}

static cold_path uint32_t begin_segment(struct updates *u, uint32_t thread)
{
    uint32_t index = new_point(u);
    struct updates_thread *t = &u->thread[thread];
    t->newest = u->base + u->cells;
    t->points++;
    t->current = index;
    u->point[index] = (struct point){.born = t->newest, .owner = thread, .uses = 1};
    return index;
}

static void end_segment(struct updates *u, uint32_t thread)
{
    uint32_t current = u->thread[thread].current;
    u->thread[thread].current = 0;
    if (current != 0)
        updates_drop(u, current);
}

uint32_t updates_point(struct updates *u, uint32_t thread)
{
    uint32_t current = u->thread[thread].current;
    if (unlikely(current == 0))
        current = begin_segment(u, thread);
    u->point[current].uses++;
    return current;
}

void updates_drop(struct updates *u, uint32_t index)
{
    struct point *point = &u->point[index];
    if (--point->uses > 0)
        return;
    u->thread[point->owner].points--;
    point->owner = u->free_point;
    u->free_point = index;
}

/* --- what was reached when the list began --- */

/* The row of an element; NULL where none of the group's owners reach it. */
static const uint64_t *group_row(const struct updates_group *group, uint32_t element)
{
    uint32_t row = element < group->index_capacity ? group->index[element] : 0;
    return row == 0 ? NULL : group->row[row];
}

static uint64_t *group_make_row(struct updates *u, struct updates_group *group, uint32_t element)
{
    if (group->index[element] == 0) {
        size_t need = group->rows == 0 ? 2 : group->rows + 1; /* row 0 stays unused */
        group->row = mem_reserve(u->mem, group->row, sizeof *group->row, &group->row_capacity, need);
        group->rows = need;
        group->index[element] = (uint32_t)(need - 1);
    }
    return group->row[group->index[element]];
}

/* Was the element in the point's lockset when the list began? */
static bool reached(const struct updates *u, const struct point *point, uint32_t element)
{
    const uint64_t *row = group_row(&u->group[point->owner / LANES], element);
    return row != NULL && row[point->owner % LANES] >= point->born;
}

/* --- temporary locksets --- */

static void begin_lockset(struct updates *u)
{
    if (u->in >= UINT32_MAX - IN_STEP) {
        memset(u->stamp, 0, u->stamp_capacity * sizeof *u->stamp);
        u->in = 0;
    }
    u->in += IN_STEP;
}

/* Once checks have walked about as far as a fold would, the list is longer than it is worth: it is folded
 * before it grows further. */
static void count_walk(struct updates *u, size_t steps)
{
    u->steps += steps;
    u->walked += steps;
    if (u->walked > 2 * u->active_groups * u->cells)
        u->fold_at = u->least_limit;
}

/* Apply-Lockset-Rules of 004 Fig. 3: is the thread in the point's lockset by now? The cells after the last
 * one that adds the thread cannot tell. */
static bool compute_lockset(struct updates *u, const struct point *point, uint32_t thread)
{
    const struct updates_thread *t = &u->thread[thread];
    bool folded = point->born < u->base;
    u->locksets++;
    if (folded && reached(u, point, t->element))
        return true;
    begin_lockset(u);
    uint32_t *stamp = u->stamp, in = u->in, out = in - 1;
    stamp[u->thread[point->owner].element] = in;
    size_t first = folded ? 0 : point->born - u->base, i = first;
    size_t end = t->last_in < u->base ? 0 : t->last_in - u->base + 1;
    bool found = false;
    for (; i < end && !found; i++) {
        struct cell cell = u->cell[i];
        if (stamp[cell.from] < out)
            stamp[cell.from] = folded && reached(u, point, cell.from) ? in : out;
        if (stamp[cell.from] == out)
            continue;
        found = cell.to == t->element;
        stamp[cell.to] = cell.from == cell.to ? out : in;
    }
    count_walk(u, i - first);
    return found;
}

static struct known_order *known_of(struct updates *u, uint32_t thread, uint32_t owner)
{
    struct known_order *known = &u->known[(thread * 64 + owner + (owner >> 6)) % KNOWN_ORDERS];
    if (known->thread != thread || known->owner != owner)
        *known = (struct known_order){.thread = thread, .owner = owner, .unordered = UINT64_MAX};
    return known;
}

enum updates_answer updates_ordered(struct updates *u, uint32_t index, uint32_t thread)
{
    const struct point *point = &u->point[index];
    uint64_t born = point->born, last_in = u->thread[thread].last_in;
    if (point->owner == thread || born <= u->thread[point->owner].settled)
        return UPDATES_KNOWN;
    struct known_order *known = known_of(u, thread, point->owner);
    if (born <= known->ordered)
        return UPDATES_KNOWN;
    if (known->as_of != last_in)
        known->unordered = UINT64_MAX;
    known->as_of = last_in;
    if (born >= known->unordered)
        return UPDATES_UNORDERED;
    bool ordered = compute_lockset(u, point, thread);
    *(ordered ? &known->ordered : &known->unordered) = born;
    return ordered ? UPDATES_COMPUTED : UPDATES_UNORDERED;
}

/* --- folding --- */

/* The same loop as compute_lockset, for all points of several owners at once. */
static void fold_cells(struct updates *u, struct updates_group *group)
{
    for (size_t i = 0; i < u->cells; i++) {
        struct cell cell = u->cell[i];
        uint64_t position = u->base + i;
        if (group->index[cell.from] == 0)
            continue;
        uint64_t *to = group_make_row(u, group, cell.to), *from = group->row[group->index[cell.from]];
        if (from == to) {
            memset(to, 0, sizeof *group->row);
            continue;
        }
        for (size_t lane = 0; lane < LANES; lane++) {
            uint64_t last = from[lane] < position ? from[lane] : position; /* OWN: all that are born by now */
            to[lane] = to[lane] > last ? to[lane] : last;
        }
    }
}

static void settle(const struct updates *u, const struct updates_group *group, struct updates_thread *owner)
{
    uint64_t least[LANES];
    for (size_t lane = 0; lane < LANES; lane++)
        least[lane] = owner[lane].newest;
    for (size_t i = 0; i < u->running_count; i++) {
        const uint64_t *row = group_row(group, u->thread[u->running[i]].element);
        if (row == NULL)
            return; /* a running thread that nobody's lockset has */
        for (size_t lane = 0; lane < LANES; lane++)
            least[lane] = row[lane] < least[lane] ? row[lane] : least[lane];
    }
    for (size_t lane = 0; lane < LANES; lane++)
        owner[lane].settled = least[lane] > owner[lane].settled ? least[lane] : owner[lane].settled;
}

static bool has_unsettled(const struct updates_thread *owner)
{
    for (size_t lane = 0; lane < LANES; lane++)
        if (owner[lane].points > 0 && owner[lane].newest > owner[lane].settled)
            return true;
    return false;
}

static void fold_group(struct updates *u, struct updates_group *group, struct updates_thread *owner)
{
    if (has_unsettled(owner)) {
        group->index = mem_reserve(u->mem, group->index, sizeof *group->index, &group->index_capacity,
                                   (size_t)u->elements.count + 1);
        for (size_t lane = 0; lane < LANES; lane++)
            if (owner[lane].element != 0)
                group_make_row(u, group, owner[lane].element)[lane] = OWN;
        fold_cells(u, group);
        if (*u->closed_world)
            settle(u, group, owner);
    }
    if (!has_unsettled(owner))
        group_drop(u, group);
}

/* While nobody walks it, the list may grow with what is stored (to 1/64 of its size): each group's pass then
 * comes back to its rows while they are in the cache. */
static void set_limit(struct updates *u)
{
    size_t rows = 0;
    u->active_groups = 0;
    for (size_t i = 0; i < u->groups; i++) {
        rows += u->group[i].rows;
        u->active_groups += u->group[i].rows > 0;
    }
    size_t limit = rows / LANES > u->least_limit ? rows / LANES : u->least_limit;
    u->cell = mem_resize(u->mem, u->cell, u->limit * sizeof *u->cell, limit * sizeof *u->cell);
    u->limit = u->fold_at = limit;
    u->walked = 0;
}

static cold_path void fold(struct updates *u)
{
    for (size_t i = 0; i < u->groups; i++)
        fold_group(u, &u->group[i], &u->thread[i * LANES]);
    u->folds++;
    u->folded += u->cells;
    u->base += u->cells;
    u->cells = 0;
    set_limit(u);
}

/* --- synchronization events --- */

/* Returns the new cell's position. */
static uint64_t append(struct updates *u, uint32_t from, uint32_t to)
{
    if (unlikely(u->cells >= u->fold_at))
        fold(u);
    u->cell[u->cells] = (struct cell){from, to};
    return u->base + u->cells++;
}

static void publish(struct updates *u, uint32_t thread, enum element_class class, uint32_t id)
{
    uint32_t element = element_of(u, class, id), *insider = &u->insider[element];
    if (*insider != thread + 1)
        *insider = *insider == 0 ? thread + 1 : NO_INSIDER;
    end_segment(u, thread);
    append(u, u->thread[thread].element, element);
}

static void acquire(struct updates *u, uint32_t thread, enum element_class class, uint32_t id)
{
    uint32_t element = elements_find(&u->elements, class, id);
    if (element == 0 || u->insider[element] == 0 || u->insider[element] == thread + 1)
        return;
    u->insider[element] = thread + 1;
    u->thread[thread].last_in = append(u, element, u->thread[thread].element);
}

static void forget_round(struct updates *u, uint32_t round)
{
    uint32_t element = elements_find(&u->elements, ELEMENT_ROUND, round);
    u->insider[element] = 0;
    append(u, element, element);
}

/* From now on accesses are not settled before this thread has them in their lockset. */
static void enlist(struct updates *u, uint32_t thread)
{
    struct updates_thread *t = &u->thread[thread];
    u->running =
        mem_reserve(u->mem, u->running, sizeof *u->running, &u->running_capacity, u->running_count + 1);
    u->running[u->running_count++] = thread;
    t->running = (uint32_t)u->running_count;
}

void updates_start(struct updates *u, uint32_t thread)
{
    u->thread[thread].element = element_of(u, ELEMENT_THREAD, thread);
    enlist(u, thread);
}

static void fork_thread(struct updates *u, uint32_t thread, uint32_t child)
{
    u->thread[child].element = element_of(u, ELEMENT_THREAD, child);
    end_segment(u, thread);
    u->thread[child].last_in = append(u, u->thread[thread].element, u->thread[child].element);
    enlist(u, child); /* only now: appending may fold, and the child is in no lockset before its cell */
}

/* The thread does nothing any more: what is settled need not wait for it. */
static void stop_thread(struct updates *u, uint32_t child)
{
    struct updates_thread *c = &u->thread[child];
    if (c->running != 0) {
        uint32_t moved = u->running[--u->running_count];
        u->running[c->running - 1] = moved;
        u->thread[moved].running = c->running;
        c->running = 0;
    }
    end_segment(u, child);
}

/* A thread may be joined again, by somebody else. */
static void join_thread(struct updates *u, uint32_t thread, uint32_t child)
{
    u->thread[thread].last_in = append(u, u->thread[child].element, u->thread[thread].element);
}

void updates_sync(struct updates *u, const struct event *e)
{
    uint32_t t = e->thread, target = e->target;
    switch (e->op) {
    case OP_ACQUIRE:
        acquire(u, t, ELEMENT_READERS, target);
        acquire(u, t, ELEMENT_LOCK, target);
        break;
    case OP_READ_ACQUIRE:
        acquire(u, t, ELEMENT_LOCK, target);
        break;
    case OP_RELEASE:
        publish(u, t, ELEMENT_LOCK, target);
        break;
    case OP_READ_RELEASE:
        publish(u, t, ELEMENT_READERS, target);
        break;
    case OP_VREAD:
        acquire(u, t, ELEMENT_VOLATILE, target);
        break;
    case OP_VWRITE:
        publish(u, t, ELEMENT_VOLATILE, target);
        break;
    case OP_BARRIER_IN:
        publish(u, t, ELEMENT_ROUND, target);
        break;
    case OP_BARRIER_OUT:
        if (!(e->flags & EVENT_NOBODY))
            acquire(u, t, ELEMENT_ROUND, target);
        if (e->flags & EVENT_LAST_OUT)
            forget_round(u, target);
        break;
    case OP_FORK:
        fork_thread(u, t, target);
        break;
    case OP_JOIN:
        stop_thread(u, target);
        if (!(e->flags & EVENT_NOBODY))
            join_thread(u, t, target);
        break;
    }
}

size_t updates_point_bytes(const struct updates *u)
{
    return u->point_capacity * sizeof *u->point;
}
