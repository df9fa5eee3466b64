#include "support/schedule.h"

#include <string.h>

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

/* The step that was told of: n itself or, if the world is late, one of the epoch that its thread is in.
 * `made`: how many steps were made. */
static bool told_true(const struct judge *j, size_t n, size_t made, const struct world *world,
                      const struct told *told)
{
    size_t byte = told->byte - world->base;
    if (told->byte - told->address >= told->size || byte >= MOST_BYTES)
        return false;
    if (!world->late)
        return told->thread == j->s->step[n].thread && is_first(j, n, n, byte, world, &told->other);
    size_t last = last_step_of(j, told->thread, n);
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

/* Told at once: the right byte, and neither too much nor too little. */
static void judge_access(struct judge *j, size_t n, const struct world *world, char why[WHY_BYTES])
{
    const struct step *s = &j->s->step[n];
    size_t first = s->at + s->size; /* byte that races */
    bool clean = true, new = false;
    for (size_t b = s->at; b < (size_t)s->at + s->size; b++) {
        clean &= !j->tainted[b];
        if (!races_at(j, n, b))
            continue;
        first = b < first ? b : first;
        new |= !j->tainted[b];
    }
    uintptr_t lowest = UINTPTR_MAX; /* that was told */
    for (size_t i = 0; i < heard.count; i++) {
        const struct told *told = &heard.told[i];
        lowest = told->byte < lowest ? told->byte : lowest;
        if (i > 0 && !world->parts)
            snprintf(why, WHY_BYTES, "step %zu: more than one race told", n);
        else if (told->address != world->base + s->at || told->size != s->size)
            snprintf(why, WHY_BYTES, "step %zu: told as an access of %zu at %zd", n, told->size,
                     (ssize_t)(told->address - world->base));
    }
    if (heard.count == 0 && new)
        snprintf(why, WHY_BYTES, "step %zu: no race told, but byte %zu races", n, first);
    else if (heard.count > 0 && clean && lowest != world->base + first)
        snprintf(why, WHY_BYTES, "step %zu: a race told at byte %zd, but byte %zu is the first", n,
                 (ssize_t)(lowest - world->base), first);
}

static void keep_access(struct judge *j, size_t n, uint64_t *races)
{
    const struct step *s = &j->s->step[n];
    for (size_t b = s->at; b < (size_t)s->at + s->size; b++) {
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

static bool is_access(const struct step *s)
{
    return s->op == STEP_ACCESS || s->op == STEP_ATOMIC;
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

/* --- shrinking, printing --- */

/* Takes out the steps that nobody is there to make, after others were taken out. */
static void repair(struct schedule *s)
{
    enum { UNBORN, LIVE, ENDED, JOINED } life[MOST_THREADS] = {0};
    size_t kept = 0;
    for (unsigned t = 0; t < s->threads; t++)
        life[t] = LIVE;
    for (size_t n = 0; n < s->count; n++) {
        struct step step = s->step[n];
        bool possible = life[step.thread] == LIVE;
        if (step.op == STEP_FORK)
            possible &= life[step.at] == UNBORN;
        if (step.op == STEP_JOIN)
            possible &= life[step.at] == ENDED;
        if (!possible)
            continue;
        if (step.op == STEP_FORK)
            life[step.at] = LIVE;
        if (step.op == STEP_END)
            life[step.thread] = ENDED;
        if (step.op == STEP_JOIN)
            life[step.at] = JOINED;
        s->step[kept++] = step;
    }
    s->count = kept;
}

static bool without(struct schedule *s, size_t from, size_t length, bool (*wrong)(const struct schedule *))
{
    static struct schedule smaller;
    smaller = *s;
    memmove(smaller.step + from, smaller.step + from + length, (s->count - from - length) * sizeof *s->step);
    smaller.count -= length;
    repair(&smaller);
    if (!wrong(&smaller))
        return false;
    *s = smaller;
    return true;
}

void schedule_shrink(struct schedule *s, bool (*wrong)(const struct schedule *))
{
    for (bool again = true; again;) {
        again = false;
        for (size_t length = s->count / 2 + 1; length > 0; length /= 2)
            for (size_t from = 0; from + length <= s->count;)
                if (without(s, from, length, wrong))
                    again = true;
                else
                    from++;
    }
}

void schedule_print(const struct schedule *s, FILE *out)
{
    static const char *const op[] = {
#define X(name) #name,
        STEP_OPS(X)
#undef X
    };
    static const char *const kind[] = {"plain read", "plain write", "atomic read", "atomic write"};
    static const char *const order[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    if (s->inside)
        fprintf(out, "      (objects live among the data, %d bytes apart)\n", OBJECT_STRIDE);
    for (size_t n = 0; n < s->count; n++) {
        const struct step *a = &s->step[n];
        fprintf(out, "%4zu  T%u ", n, a->thread);
        switch ((enum step_op)a->op) {
        case STEP_ACCESS:
            fprintf(out, "%s of %u at %u (way %u)\n", kind[a->kind], a->size, a->at, a->way);
            break;
        case STEP_ATOMIC:
            fprintf(out, "%s of %u at %u, %s (way %u)\n", a->modify ? "modification" : kind[a->kind], a->size,
                    a->at, order[a->order], a->way);
            break;
        case STEP_FENCE:
            fprintf(out, "FENCE %s\n", order[a->order]);
            break;
        case STEP_CLEAR:
            fprintf(out, "CLEAR %u at %u\n", a->size, a->at);
            break;
        case STEP_TICK:
        case STEP_END:
            fprintf(out, "%s\n", op[a->op]);
            break;
        case STEP_LEARN:
        case STEP_FORK:
        case STEP_JOIN:
            fprintf(out, "%s T%u\n", op[a->op], a->at);
            break;
        case STEP_ACQUIRE:
        case STEP_RELEASE:
        case STEP_PUBLISH:
        case STEP_PUBLISH_READER:
        case STEP_ACQUIRE_EXCLUSIVE:
        case STEP_ACQUIRE_ALL:
        case STEP_FORGET:
            fprintf(out, "%s object %u\n", op[a->op], a->at);
        }
    }
}
