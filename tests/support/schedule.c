#include "support/schedule.h"

#include <string.h>

/* --- making --- */

static uint64_t state;

static uint32_t below(uint32_t bound)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * bound >> 32);
}

static bool chance(uint32_t percent)
{
    return below(100) < percent;
}

static uint32_t one_of(const uint32_t *choice, size_t count)
{
    return choice[below((uint32_t)count)];
}

#define ONE_OF(...) one_of((const uint32_t[]){__VA_ARGS__}, array_length(((const uint32_t[]){__VA_ARGS__})))

struct maker {
    struct schedule *s;
    bool lives;
    size_t length;
    uint32_t objects, bytes;                                              /* in use */
    uint32_t sync, disciplined, writes, atomics, clears, repeat, entries; /* percent */
    uint32_t most_live;
    uint32_t known; /* threads that were ever forked; ids are given in order */
    bool live[MOST_THREADS], joinable[MOST_THREADS];
    struct step last; /* access */
};

static void add(struct maker *m, struct step step)
{
    if (m->s->count < m->length)
        m->s->step[m->s->count++] = step;
}

static uint8_t some_live(const struct maker *m)
{
    uint32_t t;
    do
        t = below(m->known);
    while (!m->live[t]);
    return (uint8_t)t;
}

static uint32_t live_count(const struct maker *m)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < m->known; t++)
        count += m->live[t];
    return count;
}

/* An access within [from, to). */
static struct step make_access(const struct maker *m, uint8_t thread, uint32_t from, uint32_t to)
{
    struct step a = {.thread = thread, .op = STEP_ACCESS, .entry = chance(m->entries)};
    if (chance(m->repeat) && m->last.size > 0) {
        a.at = m->last.at;
        a.size = m->last.size;
        a.kind = chance(70) ? m->last.kind : (m->last.kind ^ 1);
        if (a.at >= from && a.at + a.size <= to)
            return a;
    }
    bool atomic = chance(m->atomics), write = chance(m->writes);
    a.kind = atomic ? (write ? ATOMIC_WRITE : ATOMIC_READ) : (write ? PLAIN_WRITE : PLAIN_READ);
    uint32_t size = ONE_OF(1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 16);
    if (!atomic && chance(8))
        size = 1 + below(to - from);
    while (size > to - from)
        size /= 2;
    a.size = (uint16_t)size;
    a.at = (uint16_t)(from + below(to - from - size + 1));
    if (atomic || chance(70))
        a.at = (uint16_t)(a.at - a.at % (size & -size));
    if (a.at < from)
        a.at = (uint16_t)from;
    return a;
}

static void add_access(struct maker *m, uint8_t thread, uint32_t from, uint32_t to)
{
    m->last = make_access(m, thread, from, to);
    add(m, m->last);
}

/* Accesses to the part of the memory that the object protects, with the object's lock held. */
static void add_critical_section(struct maker *m)
{
    uint8_t thread = some_live(m);
    uint16_t object = (uint16_t)below(m->objects);
    uint32_t part = m->bytes / m->objects, from = object * part;
    add(m, (struct step){.thread = thread, .op = STEP_ACQUIRE, .at = object});
    for (uint32_t n = 1 + below(3); n > 0; n--)
        add_access(m, thread, from, from + part);
    add(m, (struct step){.thread = thread, .op = chance(80) ? STEP_RELEASE : STEP_PUBLISH, .at = object});
}

static void add_life(struct maker *m)
{
    uint8_t thread = some_live(m);
    if (m->known < MOST_THREADS && live_count(m) < m->most_live && chance(70)) {
        m->live[m->known] = true;
        add(m, (struct step){.thread = thread, .op = STEP_FORK, .at = (uint16_t)m->known++});
        return;
    }
    if (live_count(m) > 1 && chance(60)) {
        add(m, (struct step){.thread = thread, .op = STEP_END});
        m->live[thread] = false;
        m->joinable[thread] = true;
        if (chance(20))
            return;
        thread = some_live(m);
    }
    for (uint32_t t = 0; t < m->known; t++)
        if (m->joinable[t] && chance(80)) {
            m->joinable[t] = false;
            add(m, (struct step){.thread = thread, .op = STEP_JOIN, .at = (uint16_t)t});
        }
}

static void add_sync(struct maker *m)
{
    struct step s = {.thread = some_live(m), .at = (uint16_t)below(m->objects)};
    uint32_t what = below(100);
    if (what >= 80 && m->lives) {
        add_life(m);
        return;
    }
    s.op = what < 35 ? STEP_ACQUIRE : what < 55 ? STEP_RELEASE : what < 75 ? STEP_PUBLISH : STEP_FORGET;
    if (what >= 77)
        s.op = STEP_ACQUIRE;
    if (what >= 80) {
        s.op = what < 95 ? STEP_LEARN : STEP_TICK;
        s.at = some_live(m);
    }
    add(m, s);
}

void schedule_make(struct schedule *s, const struct schedule_options *o)
{
    state = o->seed;
    struct maker m = {
        .s = s,
        .lives = o->lives,
        .length = chance(50) ? 20 + below(40) : 40 + below(o->lives ? MOST_STEPS - 40 : 100),
        .objects = 1 + below(MOST_OBJECTS),
        .bytes = ONE_OF(4, 4, 8, 8, 16, 16, 32, 64),
        .sync = ONE_OF(5, 20, 40, 60),
        .disciplined = ONE_OF(0, 50, 90, 98, 100),
        .writes = ONE_OF(5, 30, 50, 80),
        .atomics = ONE_OF(0, 0, 10, 50, 90),
        .clears = ONE_OF(0, 0, 2, 10),
        .repeat = ONE_OF(0, 30, 70),
        .entries = ONE_OF(0, 50, 100),
        .most_live = 2 + below(4),
    };
    if (o->lives) {
        m.sync = ONE_OF(20, 40, 60);
        m.disciplined = ONE_OF(90, 98, 100);
    }
    *s = (struct schedule){.threads = o->lives ? 1 : 2 + below(3)};
    m.known = s->threads;
    for (uint32_t t = 0; t < m.known; t++)
        m.live[t] = true;
    while (s->count < m.length) {
        if (chance(m.sync))
            add_sync(&m);
        else if (chance(m.clears))
            add(&m, (struct step){.thread = some_live(&m),
                                  .op = STEP_CLEAR,
                                  .at = (uint16_t)below(m.bytes),
                                  .size = (uint16_t)(1 + below(m.bytes / 2))});
        else if (chance(m.disciplined))
            add_critical_section(&m);
        else
            add_access(&m, some_live(&m), 0, m.bytes);
    }
}

/* --- judging --- */

enum { WORDS = MOST_STEPS / 64, KINDS = 4 };

struct steps {
    uint64_t word[WORDS];
};

struct judge {
    const struct schedule *s;
    struct steps before[MOST_STEPS]; /* the steps that happen before this one */
    uint32_t epoch[MOST_STEPS];      /* of an access, as the world says */
    struct steps access[MOST_BYTES][KINDS]; /* since the byte was last cleared */
    bool tainted[MOST_BYTES];
};

static void include(struct steps *set, size_t step)
{
    set->word[step / 64] |= UINT64_C(1) << step % 64;
}

static bool includes(const struct steps *set, size_t step)
{
    return set->word[step / 64] >> step % 64 & 1;
}

static bool object_reset_between(const struct schedule *s, size_t a, size_t b)
{
    for (size_t i = a + 1; i < b; i++)
        if ((s->step[i].op == STEP_RELEASE || s->step[i].op == STEP_FORGET) && s->step[i].at == s->step[a].at)
            return true;
    return false;
}

/* Is there a direct edge from step a to the later step b? */
static bool edge(const struct schedule *s, size_t a, size_t b)
{
    const struct step *from = &s->step[a], *to = &s->step[b];
    if (from->thread == to->thread || (from->op == STEP_FORK && from->at == to->thread))
        return true;
    if ((to->op == STEP_LEARN || to->op == STEP_JOIN) && to->at == from->thread)
        return true;
    return to->op == STEP_ACQUIRE && (from->op == STEP_RELEASE || from->op == STEP_PUBLISH) &&
           from->at == to->at && !object_reset_between(s, a, b);
}

/* The rows of earlier steps are complete, so one level of edges closes a row. */
static void close_row(struct judge *j, size_t b)
{
    struct steps *row = &j->before[b];
    *row = (struct steps){{0}};
    for (size_t a = b; a-- > 0;) {
        if (includes(row, a) || !edge(j->s, a, b))
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

/* Is there an access of that kind to the byte, in that epoch, that the step races with? */
static bool told_true(const struct judge *j, size_t step, size_t byte, const struct conflict *c)
{
    if (!conflicting(c->kind, j->s->step[step].kind))
        return false;
    for (size_t a = 0; a < step; a++)
        if (includes(&j->access[byte][c->kind], a) && !includes(&j->before[step], a) && j->epoch[a] == c->earlier)
            return true;
    return false;
}

static bool judge_access(struct judge *j, size_t n, const struct world *world, const struct race_found *found,
                         char why[WHY_BYTES])
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
    size_t told = found->address - world->base;
    why[0] = '\0';
    if (found->conflict.earlier == 0 && new)
        snprintf(why, WHY_BYTES, "step %zu: no race told, but byte %zu races", n, first);
    else if (found->conflict.earlier != 0 && (told < s->at || told >= (size_t)s->at + s->size))
        snprintf(why, WHY_BYTES, "step %zu: a race told at byte %zd, which it does not access", n, (ssize_t)told);
    else if (found->conflict.earlier != 0 && !told_true(j, n, told, &found->conflict))
        snprintf(why, WHY_BYTES, "step %zu: a false race told at byte %zu with %#x (kind %d)", n, told,
                 found->conflict.earlier, found->conflict.kind);
    else if (found->conflict.earlier != 0 && clean && told != first)
        snprintf(why, WHY_BYTES, "step %zu: a race told at byte %zu, but byte %zu is the first", n, told, first);
    return why[0] == '\0';
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

/* The shadow clears whole words. */
static void clear_bytes(struct judge *j, const struct step *s)
{
    size_t from = s->at & ~3u, to = (s->at + s->size + 3u) & ~3u;
    for (size_t b = from; b < to; b++) {
        j->tainted[b] = false;
        memset(j->access[b], 0, sizeof j->access[b]);
    }
}

bool schedule_check(const struct schedule *s, const struct world *world, char why[WHY_BYTES], uint64_t *races)
{
    static struct judge j;
    memset(&j, 0, sizeof j);
    j.s = s;
    world->begin(s);
    why[0] = '\0';
    for (size_t n = 0; n < s->count; n++) {
        struct race_found found = {0};
        close_row(&j, n);
        world->step(&s->step[n], &j.epoch[n], &found);
        if (s->step[n].op == STEP_CLEAR)
            clear_bytes(&j, &s->step[n]);
        if (s->step[n].op != STEP_ACCESS)
            continue;
        if (why[0] == '\0')
            judge_access(&j, n, world, &found, why);
        keep_access(&j, n, races);
    }
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

static bool without(struct schedule *s, size_t from, size_t length, const struct world *world)
{
    static struct schedule smaller;
    char why[WHY_BYTES];
    uint64_t races = 0;
    smaller = *s;
    memmove(smaller.step + from, smaller.step + from + length, (s->count - from - length) * sizeof *s->step);
    smaller.count -= length;
    repair(&smaller);
    if (schedule_check(&smaller, world, why, &races))
        return false;
    *s = smaller;
    return true;
}

void schedule_shrink(struct schedule *s, const struct world *world)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t length = s->count / 2 + 1; length > 0; length /= 2)
            for (size_t from = 0; from + length <= s->count;)
                if (without(s, from, length, world))
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
    for (size_t n = 0; n < s->count; n++) {
        const struct step *a = &s->step[n];
        fprintf(out, "%4zu  T%u ", n, a->thread);
        if (a->op == STEP_ACCESS)
            fprintf(out, "%s of %u at %u%s\n", kind[a->kind], a->size, a->at, a->entry ? " (entry point)" : "");
        else if (a->op == STEP_CLEAR)
            fprintf(out, "CLEAR %u at %u\n", a->size, a->at);
        else if (a->op == STEP_TICK || a->op == STEP_END)
            fprintf(out, "%s\n", op[a->op]);
        else if (a->op >= STEP_LEARN)
            fprintf(out, "%s T%u\n", op[a->op], a->at);
        else
            fprintf(out, "%s object %u\n", op[a->op], a->at);
    }
}
