#include "support/schedule.h"

#include <string.h>

/* --- steps --- */

/* Of whole words, as the compiler's are (src/place/fields.cpp). */
const struct step_shape step_shapes[STEP_SHAPES] = {
    {0},         {2, {4, 4}}, {3, {8, 4, 4}},    {3, {1, 1, 2}},    {4, {4, 4, 4, 4}},
    {2, {2, 2}}, {2, {1, 3}}, {4, {1, 4, 2, 1}}, {4, {2, 8, 4, 2}}, {4, {1, 2, 2, 3}},
};

static bool is_access(const struct step *s)
{
    return s->op == STEP_ACCESS || s->op == STEP_LOOP || s->op == STEP_ATOMIC;
}

size_t step_parts(const struct step *s)
{
    const struct step_shape *shape = &step_shapes[s->shape];
    if (s->op != STEP_LOOP)
        return is_access(s) ? 1 : 0;
    return shape->fields == 0 ? s->count : (size_t)s->count * shape->fields;
}

struct step_part step_part(const struct step *s, size_t number)
{
    const struct step_shape *shape = &step_shapes[s->shape];
    if (s->op != STEP_LOOP || shape->fields == 0)
        return (struct step_part){s->at + number * (size_t)(ptrdiff_t)s->stride, s->size};
    size_t field = number % shape->fields, at = s->at + number / shape->fields * (size_t)(ptrdiff_t)s->stride;
    for (size_t i = 0; i < field; i++)
        at += shape->size[i];
    return (struct step_part){at, shape->size[field]};
}

/* --- judging --- */

enum { WORDS = MOST_STEPS / 64, KINDS = 4 };

struct steps {
    uint64_t word[WORDS];
};

struct judge {
    const struct schedule *s;
    struct steps before[MOST_STEPS]; /* the steps that happen before this one */
    struct steps heads[MOST_STEPS];  /* of what an atomic operation reads: what it could synchronize with */
    uint32_t epoch[MOST_STEPS];      /* of an access, as the world says */
    struct steps access[MOST_BYTES][KINDS]; /* since the byte was last cleared */
    bool tainted[MOST_BYTES];
    bool told[MOST_BYTES]; /* a race of an access to the byte, since it was last cleared */
};

static void include(struct steps *set, size_t step)
{
    set->word[step / 64] |= UINT64_C(1) << step % 64;
}

static bool includes(const struct steps *set, size_t step)
{
    return set->word[step / 64] >> step % 64 & 1;
}

/* Does the CLEAR take this byte's word? */
static bool clears_byte(const struct step *clear, size_t byte)
{
    return clear->op == STEP_CLEAR && byte >= (clear->at & ~3u) &&
           byte < ((clear->at + clear->size + 3u) & ~3u);
}

/* The byte at which the object lives; MOST_BYTES when it is not among the data. */
static size_t object_byte(const struct schedule *s, uint32_t object)
{
    if (object >= MOST_OBJECTS)
        return VARIABLES + 16u * (object - MOST_OBJECTS);
    return s->inside ? OBJECT_STRIDE * object : MOST_BYTES;
}

/* Is what was released into the object at step a gone at step b? */
static bool object_reset_between(const struct schedule *s, size_t a, size_t b)
{
    uint32_t object = s->step[a].at;
    for (size_t i = a + 1; i < b; i++) {
        const struct step *reset = &s->step[i];
        if ((reset->op == STEP_RELEASE || reset->op == STEP_FORGET) && reset->at == object)
            return true;
        if (clears_byte(reset, object_byte(s, object)))
            return true;
    }
    return false;
}

static bool is_release(const struct step *s)
{
    return s->op == STEP_RELEASE || s->op == STEP_PUBLISH;
}

static bool acquires(const struct step *s)
{
    return s->order == CONSUME || s->order == ACQUIRE || s->order == ACQ_REL || s->order == SEQ_CST;
}

static bool releases(const struct step *s)
{
    return s->order == RELEASE || s->order == ACQ_REL || s->order == SEQ_CST;
}

/* The operation itself, if it releases; or the last release fence before it. */
static void add_head(struct judge *j, struct steps *heads, size_t write)
{
    const struct step *w = &j->s->step[write];
    if (releases(w)) {
        include(heads, write);
        return;
    }
    for (size_t f = write; f-- > 0;) {
        const struct step *fence = &j->s->step[f];
        if (fence->thread == w->thread && fence->op == STEP_FENCE && releases(fence)) {
            include(heads, f);
            return;
        }
    }
}

/* The byte at which the variable begins that the step looks at, or MOST_BYTES. */
static size_t variable_read(const struct schedule *s, const struct step *step)
{
    if (step->op == STEP_ATOMIC && (step->kind == ATOMIC_READ || step->modify))
        return step->at;
    return step->op == STEP_ACQUIRE_ALL ? object_byte(s, step->at) : MOST_BYTES;
}

/* Walks back from the write that it reads from. */
static void find_heads(struct judge *j, size_t n)
{
    size_t variable = variable_read(j->s, &j->s->step[n]);
    bool stored = true; /* of what is before, nothing is left */
    j->heads[n] = (struct steps){{0}};
    for (size_t a = n; variable < MOST_BYTES && a-- > 0;) {
        const struct step *s = &j->s->step[a];
        if (clears_byte(s, variable))
            return;
        if (is_release(s) && object_byte(j->s, s->at) == variable && !object_reset_between(j->s, a, n))
            include(&j->heads[n], a);
        if (!stored || s->op != STEP_ATOMIC || s->kind != ATOMIC_WRITE || s->at != variable)
            continue;
        add_head(j, &j->heads[n], a);
        stored = s->modify;
    }
}

static bool synchronizes(const struct judge *j, size_t a, size_t b)
{
    const struct step *to = &j->s->step[b];
    if (to->op == STEP_ATOMIC || to->op == STEP_ACQUIRE_ALL)
        return (to->op == STEP_ACQUIRE_ALL || acquires(to)) && includes(&j->heads[b], a);
    if (to->op != STEP_FENCE || !acquires(to))
        return false;
    for (size_t read = a + 1; read < b; read++)
        if (j->s->step[read].thread == to->thread && includes(&j->heads[read], a))
            return true;
    return false;
}

/* Is there a direct edge from step a to the later step b? */
static bool edge(const struct judge *j, size_t a, size_t b)
{
    const struct schedule *s = j->s;
    const struct step *from = &s->step[a], *to = &s->step[b];
    if (synchronizes(j, a, b))
        return true;
    if (from->thread == to->thread || (from->op == STEP_FORK && from->at == to->thread))
        return true;
    if ((to->op == STEP_LEARN || to->op == STEP_JOIN) && to->at == from->thread)
        return true;
    bool exclusive = to->op == STEP_ACQUIRE_EXCLUSIVE || to->op == STEP_ACQUIRE_ALL;
    bool meets = ((exclusive || to->op == STEP_ACQUIRE) && is_release(from)) ||
                 (exclusive && from->op == STEP_PUBLISH_READER);
    return meets && from->at == to->at && !object_reset_between(s, a, b);
}

/* The rows of earlier steps are complete, so one level of edges closes a row. */
static void close_row(struct judge *j, size_t b)
{
    struct steps *row = &j->before[b];
    *row = (struct steps){{0}};
    find_heads(j, b);
    for (size_t a = b; a-- > 0;) {
        if (includes(row, a) || !edge(j, a, b))
            continue;
        include(row, a);
        for (size_t w = 0; w < WORDS; w++)
            row->word[w] |= j->before[a].word[w];
    }
}

static bool conflicting(enum access_kind a, enum access_kind b)
{
    bool a_writes = a == PLAIN_WRITE || a == ATOMIC_WRITE, b_writes = b == PLAIN_WRITE || b == ATOMIC_WRITE;
    bool both_atomic = a >= ATOMIC_READ && b >= ATOMIC_READ;
    return (a_writes || b_writes) && !both_atomic;
}

static bool races_at(const struct judge *j, size_t step, size_t byte)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t w = 0; w < WORDS; w++)
            if (conflicting(kind, j->s->step[step].kind) &&
                (j->access[byte][kind].word[w] & ~j->before[step].word[w]) != 0)
                return true;
    return false;
}

/* --- what the world tells --- */

enum { MOST_TOLD = MOST_STEPS };

static struct {
    struct told told[MOST_TOLD];
    size_t count;
} heard; /* since the last step */

void schedule_told(const struct told *told)
{
    if (heard.count < MOST_TOLD)
        heard.told[heard.count++] = *told;
}

bool schedule_told_any(void)
{
    bool any = heard.count > 0;
    heard.count = 0;
    return any;
}

bool schedule_told_of(uintptr_t address, size_t size)
{
    for (size_t i = 0; i < heard.count; i++)
        if (heard.told[i].address == address && heard.told[i].size == size)
            return true;
    return false;
}

/* Is there, before step n, an access of that kind to the byte in that epoch that races with step `second`? */
static bool is_first(const struct judge *j, size_t n, size_t second, size_t byte, const struct world *world,
                     const struct conflict *c)
{
    if (!conflicting(c->kind, j->s->step[second].kind))
        return false;
    for (size_t a = 0; a < n; a++)
        if (includes(&j->access[byte][c->kind], a) && (world->renames || j->epoch[a] == c->earlier) &&
            !includes(&j->before[second], a) && !includes(&j->before[a], second))
            return true;
    return false;
}

static size_t last_step_of(const struct judge *j, unsigned thread, size_t n)
{
    while (n > 0 && j->s->step[n].thread != thread)
        n--;
    return n;
}

static bool in_one_word(size_t at, size_t size)
{
    return size <= 4 && at / 4 == (at + size - 1) / 4;
}

/* Is there an access of the step that begins there, or ends? */
static bool begins_or_ends(const struct step *s, size_t at, bool ends)
{
    for (size_t i = 0; i < step_parts(s); i++) {
        struct step_part part = step_part(s, i);
        if (part.at + (ends ? part.size : 0) == at)
            return true;
    }
    return false;
}

/* Has the loop elements that overlap? */
static bool overlaps(const struct step *s)
{
    return s->op == STEP_LOOP && s->count > 1 && s->stride < s->size && -s->stride < s->size;
}

/* One of the step's accesses; or several that were gathered. Of those that overlap, the later one has its
 * bytes. */
static bool is_part(const struct step *s, size_t at, size_t size)
{
    for (size_t i = 0; i < step_parts(s); i++)
        if (step_part(s, i).at == at && step_part(s, i).size == size)
            return true;
    return s->op == STEP_LOOP && in_one_word(at, size) &&
           (overlaps(s) || (begins_or_ends(s, at, false) && begins_or_ends(s, at + size, true)));
}

/* Was there such an access in the epoch, up to step `last`? Bytes of one word may be of several, which were
 * gathered. */
static bool was_part(const struct judge *j, size_t last, uint32_t when, enum access_kind kind, size_t at,
                     size_t size)
{
    bool gathered = in_one_word(at, size);
    size_t bytes = 0;
    for (size_t n = 0; n <= last; n++) {
        const struct step *s = &j->s->step[n];
        if (s->kind != kind || j->epoch[n] != when)
            continue;
        if (is_part(s, at, size))
            return true;
        for (size_t b = 0; gathered && b < size; b++)
            bytes |= (size_t)includes(&j->access[at + b][kind], n) << b;
    }
    return gathered && bytes == ((size_t)1 << size) - 1;
}

/* What is told of the earlier access. */
static bool other_true(const struct judge *j, size_t last, const struct world *world, const struct told *told)
{
    return told->other_size == 0 || world->renames ||
           was_part(j, last, told->other.earlier, told->other.kind, told->other_address - world->base,
                    told->other_size);
}

/* The step that was told of: n itself or, if the world is late, one of the epoch that its thread is in.
 * `made`: how many steps were made. */
static bool told_true(const struct judge *j, size_t n, size_t made, const struct world *world,
                      const struct told *told)
{
    size_t byte = told->byte - world->base, at = told->address - world->base;
    if (told->byte - told->address >= told->size || byte >= MOST_BYTES ||
        !other_true(j, made - 1, world, told))
        return false;
    if (!world->late)
        return told->thread == j->s->step[n].thread && is_first(j, n, n, byte, world, &told->other);
    size_t last = last_step_of(j, told->thread, n);
    if (!was_part(j, last, j->epoch[last], told->kind, at, told->size))
        return false;
    for (size_t second = 0; second <= last; second++)
        if (j->s->step[second].thread == told->thread && j->epoch[second] == j->epoch[last] &&
            includes(&j->access[byte][told->kind], second) &&
            is_first(j, made, second, byte, world, &told->other))
            return true;
    return false;
}

static void judge_told(struct judge *j, size_t n, size_t made, const struct world *world, char why[WHY_BYTES])
{
    for (size_t i = 0; i < heard.count; i++) {
        const struct told *told = &heard.told[i];
        for (size_t b = 0; b < MOST_BYTES; b++)
            j->told[b] |= world->base + b - told->address < told->size;
        if (!told_true(j, n, made, world, told) && why[0] == '\0')
            snprintf(why, WHY_BYTES, "step %zu: a false race told at byte %zd with %#x (kind %d)", n,
                     (ssize_t)(told->byte - world->base), told->other.earlier, told->other.kind);
    }
}

static bool is_told(size_t byte, const struct world *world)
{
    for (size_t i = 0; i < heard.count; i++)
        if (world->base + byte - heard.told[i].address < heard.told[i].size)
            return true;
    return false;
}

/* The first byte of an access, and of no other of the same step, that was told of as one that races; or
 * UINTPTR_MAX. */
static uintptr_t lowest_told(const struct step *s, const struct step_part *part, const struct world *world)
{
    uintptr_t lowest = UINTPTR_MAX, at = world->base + part->at;
    if (overlaps(s))
        return UINTPTR_MAX;
    for (size_t i = 0; i < heard.count; i++)
        if (heard.told[i].address <= at && heard.told[i].byte - at < part->size &&
            heard.told[i].byte < lowest)
            lowest = heard.told[i].byte;
    return lowest;
}

static void judge_part(const struct judge *j, size_t n, const struct step_part *part,
                       const struct world *world, char why[WHY_BYTES])
{
    size_t end = part->at + part->size, first = end; /* byte that races */
    bool clean = true;
    for (size_t b = part->at; b < end; b++) {
        clean &= !j->tainted[b];
        if (!races_at(j, n, b))
            continue;
        first = b < first ? b : first;
        if (!j->tainted[b] && !is_told(b, world))
            snprintf(why, WHY_BYTES, "step %zu: no race told, but byte %zu races", n, b);
    }
    uintptr_t lowest = lowest_told(&j->s->step[n], part, world);
    if (clean && lowest != UINTPTR_MAX && lowest != world->base + first)
        snprintf(why, WHY_BYTES, "step %zu: a race told at byte %zd, but byte %zu is the first", n,
                 (ssize_t)(lowest - world->base), first);
}

/* Told at once: the right byte, and neither too much nor too little. */
static void judge_access(struct judge *j, size_t n, const struct world *world, char why[WHY_BYTES])
{
    const struct step *s = &j->s->step[n];
    if (heard.count > step_parts(s) && !world->parts)
        snprintf(why, WHY_BYTES, "step %zu: %zu races told", n, heard.count);
    for (size_t i = 0; i < heard.count; i++) {
        const struct told *told = &heard.told[i];
        size_t at = told->address - world->base;
        /* An access in parts may be told as an earlier one of the epoch that has the byte, too. */
        if (!is_part(s, at, told->size) &&
            !(world->parts && n > 0 && was_part(j, n - 1, j->epoch[n], s->kind, at, told->size)))
            snprintf(why, WHY_BYTES, "step %zu: told as an access of %zu at %zd", n, told->size, (ssize_t)at);
    }
    for (size_t i = 0; i < step_parts(s) && why[0] == '\0'; i++) {
        struct step_part part = step_part(s, i);
        judge_part(j, n, &part, world, why);
    }
}

/* Of overlapping parts, none races with another. */
static void keep_access(struct judge *j, size_t n, uint64_t *races)
{
    const struct step *s = &j->s->step[n];
    bool touched[MOST_BYTES] = {false};
    for (size_t i = 0; i < step_parts(s); i++)
        memset(touched + step_part(s, i).at, true, step_part(s, i).size);
    for (size_t b = 0; b < MOST_BYTES; b++) {
        if (!touched[b])
            continue;
        if (races_at(j, n, b) && !j->tainted[b]) {
            j->tainted[b] = true;
            ++*races;
        }
        include(&j->access[b][s->kind], n);
    }
}

/* After this, a late world has told everything. */
static void settle_all(struct judge *j, size_t made, const struct world *world, char why[WHY_BYTES])
{
    bool seen[MOST_THREADS] = {false};
    for (size_t n = made; n-- > 0;) {
        const struct step *last = &j->s->step[n];
        if (seen[last->thread])
            continue;
        seen[last->thread] = true;
        heard.count = 0;
        if (last->op != STEP_END)
            world->settle(last->thread);
        judge_told(j, n, made, world, why);
    }
    for (size_t b = 0; b < MOST_BYTES; b++)
        if (j->tainted[b] && !j->told[b] && why[0] == '\0')
            snprintf(why, WHY_BYTES, "after %zu steps: no race told of byte %zu, which raced", made, b);
}

/* The shadow clears whole words. */
static void clear_bytes(struct judge *j, const struct step *s)
{
    size_t from = s->at & ~3u, to = (s->at + s->size + 3u) & ~3u;
    for (size_t b = from; b < to; b++) {
        j->tainted[b] = j->told[b] = false;
        memset(j->access[b], 0, sizeof j->access[b]);
    }
}

static void check_step(struct judge *j, size_t n, const struct world *world, char why[WHY_BYTES],
                       uint64_t *races)
{
    const struct step *s = &j->s->step[n];
    close_row(j, n);
    if (world->late && s->op == STEP_CLEAR)
        settle_all(j, n, world, why);
    heard.count = 0;
    j->epoch[n] = world->step(s);
    if (is_access(s) && !world->late)
        judge_access(j, n, world, why);
    else if (!world->late && heard.count > 0)
        snprintf(why, WHY_BYTES, "step %zu: a race told, but it is no access", n);
    if (is_access(s) && world->late)
        keep_access(j, n, races);
    if (why[0] == '\0')
        judge_told(j, n, n + 1, world, why);
    if (is_access(s) && !world->late)
        keep_access(j, n, races);
    if (s->op == STEP_CLEAR)
        clear_bytes(j, s);
}

bool schedule_check(const struct schedule *s, const struct world *world, char why[WHY_BYTES], uint64_t *races)
{
    static struct judge j;
    memset(&j, 0, sizeof j);
    j.s = s;
    world->begin(s);
    why[0] = '\0';
    for (size_t n = 0; n < s->count && why[0] == '\0'; n++)
        check_step(&j, n, world, why, races);
    if (world->late && why[0] == '\0')
        settle_all(&j, s->count, world, why);
    const char *wrong = world->end(s);
    if (why[0] == '\0' && wrong != NULL)
        snprintf(why, WHY_BYTES, "at the end: %s", wrong);
    return why[0] == '\0';
}
