#include "detect/updates.h"

#include <string.h>

#define NO_INSIDER UINT32_MAX
#define OWN        UINT64_MAX /* in a row: the owner itself, which all its points up to now reach */

enum { KNOWN_ORDERS = 4096 }; /* all pairs of 64 threads */

/* --- life --- */

void updates_init(struct updates *u, struct mem *mem, bool closed_world, size_t limit)
{
    *u = (struct updates){.mem = mem,
                          .closed_world = closed_world,
                          .limit = limit,
                          .least_limit = limit,
                          .fold_at = limit,
                          .fold_cost = limit,
                          .base = 1,
                          .points = 1,
                          .now = 1};
    u->cell = mem_alloc(mem, limit * sizeof *u->cell);
    u->point = mem_reserve(mem, NULL, sizeof *u->point, &u->point_capacity, 1);
    u->known = mem_alloc(mem, KNOWN_ORDERS * sizeof *u->known);
}

static void drop_reached(struct updates *u, struct updates_thread *thread)
{
    mem_free(u->mem, thread->reached, thread->reached_count * sizeof *thread->reached);
    thread->reached = NULL;
    thread->reached_count = 0;
}

void updates_free(struct updates *u)
{
    for (size_t i = 0; i < u->thread_capacity; i++)
        drop_reached(u, &u->thread[i]);
    elements_free(&u->elements, u->mem);
    mem_free(u->mem, u->thread, u->thread_capacity * sizeof *u->thread);
    mem_free(u->mem, u->running, u->running_capacity * sizeof *u->running);
    mem_free(u->mem, u->cell, u->limit * sizeof *u->cell);
    mem_free(u->mem, u->point, u->point_capacity * sizeof *u->point);
    mem_free(u->mem, u->stamp, u->stamp_capacity * sizeof *u->stamp);
    mem_free(u->mem, u->insider, u->insider_capacity * sizeof *u->insider);
    mem_free(u->mem, u->row, u->row_capacity * sizeof *u->row);
    mem_free(u->mem, u->touched, u->touched_capacity * sizeof *u->touched);
    mem_free(u->mem, u->known, KNOWN_ORDERS * sizeof *u->known);
}

void updates_extend(struct updates *u, const struct extent *extent)
{
    elements_extend(&u->elements, u->mem, extent);
    u->thread = mem_reserve(u->mem, u->thread, sizeof *u->thread, &u->thread_capacity, extent->threads);
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
    u->points_in_use++;
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
    u->points_in_use--;
    point->owner = u->free_point;
    u->free_point = index;
}

/* --- temporary locksets --- */

static void empty_lockset(struct updates *u)
{
    if (++u->now == 0) {
        memset(u->stamp, 0, u->stamp_capacity * sizeof *u->stamp);
        u->now = 1;
    }
}

/* The lockset that a point had when the list began. True when it has the thread already. */
static bool load_lockset(struct updates *u, const struct point *point, uint32_t wanted)
{
    const struct updates_thread *owner = &u->thread[point->owner];
    empty_lockset(u);
    u->stamp[owner->element] = u->now;
    if (point->born >= u->base)
        return false;
    for (size_t i = 0; i < owner->reached_count; i++)
        if (owner->reached[i].last >= point->born)
            u->stamp[owner->reached[i].element] = u->now;
    u->steps += owner->reached_count;
    return u->stamp[wanted] == u->now;
}

/* Accounts for cells that a check has walked. Once checks have walked as far as a fold would, the list is
 * longer than it is worth, and is folded at the next cell. */
static void count_walk(struct updates *u, size_t cells)
{
    u->steps += cells;
    u->walked += cells;
    if (u->walked > u->fold_cost)
        u->fold_at = u->least_limit;
}

/* Apply-Lockset-Rules of 004 Fig. 3: is the thread in the point's lockset by now? The cells after the last
 * one that adds the thread cannot tell. */
static bool compute_lockset(struct updates *u, const struct point *point, uint32_t thread)
{
    const struct updates_thread *t = &u->thread[thread];
    u->locksets++;
    if (t->last_in < point->born && point->born >= u->base)
        return false;
    if (load_lockset(u, point, t->element))
        return true;
    uint32_t *stamp = u->stamp, now = u->now, wanted = t->element;
    size_t first = point->born > u->base ? point->born - u->base : 0, i = first;
    size_t end = t->last_in >= u->base ? t->last_in - u->base + 1 : 0;
    bool found = false;
    for (; i < end && !found; i++) {
        struct cell cell = u->cell[i];
        if (stamp[cell.from] != now)
            continue;
        found = cell.to == wanted;
        stamp[cell.to] = cell.from == cell.to ? 0 : now;
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

static void touch(struct updates *u, size_t *touched, uint32_t element)
{
    if (u->stamp[element] == u->now)
        return;
    u->stamp[element] = u->now;
    u->touched[(*touched)++] = element;
}

/* The same loop as compute_lockset, for the points of several owners at once. A row says which of them have
 * its element in their lockset: those born up to `last`. */
static void fold_cells(struct updates *u, size_t *touched)
{
    for (size_t i = 0; i < u->cells; i++) {
        struct cell cell = u->cell[i];
        if (u->stamp[cell.from] != u->now)
            continue;
        uint64_t *from = u->row[cell.from], *to = u->row[cell.to], position = u->base + i;
        if (cell.from == cell.to) {
            memset(to, 0, sizeof u->row[0]);
            continue;
        }
        touch(u, touched, cell.to);
        for (size_t lane = 0; lane < LANES; lane++) {
            uint64_t last = from[lane] < position ? from[lane] : position; /* OWN: all that are born by now */
            to[lane] = to[lane] > last ? to[lane] : last;
        }
    }
}

static void settle(struct updates *u, struct updates_thread *owner, size_t lane)
{
    uint64_t least = owner->newest;
    for (size_t i = 0; i < u->running_count; i++) {
        uint64_t last = u->row[u->thread[u->running[i]].element][lane];
        least = last < least ? last : least;
    }
    if (least > owner->settled)
        owner->settled = least;
}

static bool worth_keeping(const struct updates *u, const struct updates_thread *owner, uint32_t element,
                          size_t lane)
{
    uint64_t last = u->row[element][lane];
    return last > owner->settled && last != OWN;
}

static void store_reached(struct updates *u, struct updates_thread *owner, size_t lane, size_t touched)
{
    size_t count = 0;
    for (size_t i = 0; i < touched; i++)
        count += worth_keeping(u, owner, u->touched[i], lane);
    owner->reached = mem_resize(u->mem, owner->reached, owner->reached_count * sizeof *owner->reached,
                                count * sizeof *owner->reached);
    owner->reached_count = count;
    for (size_t i = touched; i-- > 0;)
        if (worth_keeping(u, owner, u->touched[i], lane))
            owner->reached[--count] = (struct reached){u->row[u->touched[i]][lane], u->touched[i]};
}

static void fold_owners(struct updates *u, struct updates_thread *const *owner, size_t owners)
{
    size_t touched = 0;
    empty_lockset(u);
    for (size_t lane = 0; lane < owners; lane++) {
        touch(u, &touched, owner[lane]->element);
        u->row[owner[lane]->element][lane] = OWN;
        for (size_t i = 0; i < owner[lane]->reached_count; i++) {
            touch(u, &touched, owner[lane]->reached[i].element);
            u->row[owner[lane]->reached[i].element][lane] = owner[lane]->reached[i].last;
        }
    }
    fold_cells(u, &touched);
    for (size_t lane = 0; lane < owners; lane++) {
        if (u->closed_world)
            settle(u, owner[lane], lane);
        store_reached(u, owner[lane], lane, touched);
    }
    for (size_t i = 0; i < touched; i++)
        memset(u->row[u->touched[i]], 0, sizeof u->row[0]);
}

/* Brings all locksets up to date; returns how many passes over the list that took. */
static size_t fold_all(struct updates *u)
{
    struct updates_thread *batch[LANES];
    size_t owners = 0, passes = 0;
    for (size_t i = 0; i < u->thread_capacity; i++) {
        struct updates_thread *t = &u->thread[i];
        if (t->points > 0 && t->newest > t->settled)
            batch[owners++] = t;
        else
            drop_reached(u, t);
        if (owners == LANES || (owners > 0 && i == u->thread_capacity - 1)) {
            fold_owners(u, batch, owners);
            owners = 0;
            passes++;
        }
    }
    return passes;
}

/* How long the list may grow until it is folded again. Where nobody walks it: half as many cells as there is
 * stored, so that a fold costs a few steps a cell, and the list a quarter of the memory of what is stored.
 * Where checks walk it: see count_walk. (A stored element is loaded and stored, and costs as much as several
 * cells of a walk.) */
static void set_limit(struct updates *u, size_t passes)
{
    size_t reached = 0;
    for (size_t i = 0; i < u->thread_capacity; i++)
        reached += u->thread[i].reached_count;
    size_t limit = reached / 2 > u->least_limit ? reached / 2 : u->least_limit;
    u->cell = mem_resize(u->mem, u->cell, u->limit * sizeof *u->cell, limit * sizeof *u->cell);
    u->limit = u->fold_at = limit;
    u->fold_cost = 4 * (reached + passes * u->least_limit);
    u->walked = 0;
}

static cold_path void fold(struct updates *u)
{
    size_t need = (size_t)u->elements.count + 1;
    u->row = mem_reserve(u->mem, u->row, sizeof *u->row, &u->row_capacity, need);
    u->touched = mem_reserve(u->mem, u->touched, sizeof *u->touched, &u->touched_capacity, need);
    size_t passes = fold_all(u);
    u->folds++;
    u->folded += u->cells;
    u->base += u->cells;
    u->cells = 0;
    set_limit(u, passes);
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

void updates_start(struct updates *u, uint32_t thread)
{
    struct updates_thread *t = &u->thread[thread];
    t->element = element_of(u, ELEMENT_THREAD, thread);
    u->running =
        mem_reserve(u->mem, u->running, sizeof *u->running, &u->running_capacity, u->running_count + 1);
    u->running[u->running_count++] = thread;
    t->running = (uint32_t)u->running_count;
}

static void fork_thread(struct updates *u, uint32_t thread, uint32_t child)
{
    updates_start(u, child);
    end_segment(u, thread);
    u->thread[child].last_in = append(u, u->thread[thread].element, u->thread[child].element);
}

/* A thread may be joined again, by somebody else. */
static void join_thread(struct updates *u, uint32_t thread, uint32_t child)
{
    struct updates_thread *c = &u->thread[child];
    end_segment(u, child);
    u->thread[thread].last_in = append(u, c->element, u->thread[thread].element);
    if (c->running == 0)
        return;
    uint32_t moved = u->running[--u->running_count];
    u->running[c->running - 1] = moved;
    u->thread[moved].running = c->running;
    c->running = 0;
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
        acquire(u, t, ELEMENT_ROUND, target);
        if (e->flags & EVENT_LAST_OUT)
            forget_round(u, target);
        break;
    case OP_FORK:
        fork_thread(u, t, target);
        break;
    case OP_JOIN:
        join_thread(u, t, target);
        break;
    }
}

size_t updates_point_bytes(const struct updates *u)
{
    return u->point_capacity * sizeof *u->point;
}
