/* Random schedules. */
#include "support/schedule.h"

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
    bool runtime;
    size_t length;
    uint32_t objects, bytes;                                           /* in use */
    uint32_t sync, disciplined, writes, atomics, clears, repeat, stay; /* percent */
    uint32_t lock_free, weak, readers, annotated;                      /* percent; only for the runtime */
    uint32_t variable_size, most_live;
    uint32_t walks; /* percent of what is done: loops */
    uint32_t loops; /* percent of them: checked as a whole */
    uint32_t wholes; /* percent of accesses and of such loops: all of WHOLE bytes, or of several times as many */
    bool text;      /* read in parts of words, from anywhere, and seldom written */
    bool pairs;     /* above all 8 bytes at once and either half of them (shadow/record.h) */
    uint32_t known; /* threads that were ever forked; ids are given in order */
    bool live[MOST_THREADS], joinable[MOST_THREADS];
    uint32_t thread;  /* that made the last step */
    struct step last; /* access */
    struct walk {
        struct step next;
        int stride;
        uint32_t left, unrolled; /* the second: how many places take turns */
    } walk[MOST_THREADS];        /* of each thread */
    struct step loop;            /* the last that was checked as a whole */
};

static void add(struct maker *m, struct step step)
{
    if (m->s->count < m->length)
        m->s->step[m->s->count++] = step;
}

static uint8_t some_live(struct maker *m)
{
    if (!m->live[m->thread] || !chance(m->stay))
        do
            m->thread = below(m->known);
        while (!m->live[m->thread]);
    return (uint8_t)m->thread;
}

static uint32_t live_count(const struct maker *m)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < m->known; t++)
        count += m->live[t];
    return count;
}

/* The smallest chunks (shadow/map.h) that tests have, and where the first begins. */
enum { WHOLE = 64, FIRST_WHOLE = 32 };

/* Some of those that are within [from, to). 0: there are none. */
static uint32_t some_wholes(const struct maker *m, uint32_t from, uint32_t to, uint16_t *at)
{
    uint32_t first = from <= FIRST_WHOLE ? 0 : (from - FIRST_WHOLE + WHOLE - 1) / WHOLE;
    uint32_t last = to <= FIRST_WHOLE ? 0 : (to - FIRST_WHOLE) / WHOLE;
    if (m->wholes == 0 || last <= first || !chance(m->wholes))
        return 0;
    first += below(last - first);
    *at = (uint16_t)(WHOLE * first + FIRST_WHOLE);
    return WHOLE * (1 + below(last - first));
}

/* An access within [from, to). */
static struct step make_access(const struct maker *m, uint8_t thread, uint32_t from, uint32_t to)
{
    struct step a = {.thread = thread, .op = STEP_ACCESS, .way = (uint8_t)below(256)};
    if (chance(m->repeat) && m->last.size > 0) {
        a.at = m->last.at;
        a.size = m->last.size;
        a.kind = chance(70) ? m->last.kind : (m->last.kind ^ 1);
        if (a.at >= from && a.at + a.size <= to)
            return a;
    }
    bool atomic = chance(m->atomics), write = chance(m->writes);
    a.kind = atomic ? (write ? ATOMIC_WRITE : ATOMIC_READ) : (write ? PLAIN_WRITE : PLAIN_READ);
    uint32_t size = m->pairs ? ONE_OF(8, 8, 4, 4, 1) : ONE_OF(1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 16);
    if (!atomic && !m->pairs && chance(8))
        size = 1 + below(to - from);
    uint32_t wholes = atomic ? 0 : some_wholes(m, from, to, &a.at);
    if (wholes > 0) {
        a.size = (uint16_t)wholes;
        return a;
    }
    while (size > to - from)
        size /= 2;
    a.size = (uint16_t)size;
    a.at = (uint16_t)(from + below(to - from - size + 1));
    if (atomic || chance(m->text ? 20 : 70))
        a.at = (uint16_t)(a.at - a.at % (size & -size));
    if (a.at < from) { /* no room for it where it would be aligned */
        a.at = (uint16_t)from;
        a.kind &= 1;
    }
    return a;
}

/* A loop over [from, to), up or down, with gaps or without. Each step is done in the same way, that is at the
 * same place of the program; that of the second way has accesses of all kinds. */
static struct walk make_walk(const struct maker *m, uint8_t thread, uint32_t from, uint32_t to)
{
    uint32_t size = ONE_OF(1, 1, 2, 4, 4, 8, 8, 16),
             stride = size * ONE_OF(1, 1, 1, 2, 3) + ONE_OF(0, 0, 0, 0, 1, 2, 3);
    struct step first = {.thread = thread, .op = STEP_ACCESS, .way = chance(70) ? 0 : 8 << 4};
    first.kind = chance(m->writes) ? PLAIN_WRITE : PLAIN_READ;
    from += chance(90) ? -from % size : 0;
    if (size > 4 && chance(20))
        stride = size / 2; /* each overlaps the next */
    if (from + size > to)
        return (struct walk){.left = 0};
    uint32_t most = (to - from - size) / stride, skipped = chance(50) ? 0 : below(most + 1);
    bool down = chance(20);
    first.size = (uint16_t)size;
    first.at = (uint16_t)(from + stride * (down ? most - skipped : skipped));
    return (struct walk){first, down ? -(int)stride : (int)stride, most - skipped + 1,
                         first.way == 0 ? ONE_OF(1, 1, 2, 4) : 1};
}

static void walk_on(struct maker *m, struct walk *walk, uint32_t steps)
{
    for (; steps > 0 && walk->left > 0; steps--, walk->left--) {
        if (walk->unrolled > 1)
            walk->next.way = (uint8_t)(walk->left % walk->unrolled << 4);
        add(m, walk->next);
        walk->next.at = (uint16_t)(walk->next.at + walk->stride);
    }
}

static uint32_t size_of_shape(uint32_t shape)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < step_shapes[shape].fields; i++)
        size += step_shapes[shape].size[i];
    return size;
}

static bool is_within(const struct step *loop, uint32_t from, uint32_t to)
{
    int first = loop->at, last = first + loop->stride * (loop->count - 1);
    int lowest = first < last ? first : last, highest = first < last ? last : first;
    return loop->count == 0 || (lowest >= (int)from && highest + loop->size <= (int)to);
}

/* Loops in loops go over the same memory again, or nearly. */
static bool make_loop_again(const struct maker *m, uint32_t from, uint32_t to, struct step *loop)
{
    int after = chance(20) ? m->loop.count + (int)below(2) : (int)below(7) - 3, more = (int)below(5) - 2;
    *loop = m->loop;
    loop->at = (uint16_t)(loop->at + after * loop->stride);
    loop->count = (uint8_t)(chance(30) ? 1 + below(4) : loop->count + more < 0 ? 0 : loop->count + more);
    if (chance(20))
        loop->kind ^= 1;
    if (chance(20) && loop->shape == 0)
        loop->size = (uint16_t)ONE_OF(1, 4, 8, 12);
    return chance(60) && loop->op == STEP_LOOP && loop->at < MOST_BYTES && is_within(loop, from, to);
}

/* All of a loop over [from, to) at once: elements of any size, of one access or of neighbouring ones, at any
 * distance. False: there is no room for one. */
static bool make_loop(const struct maker *m, uint32_t from, uint32_t to, struct step *made)
{
    struct step loop = {.op = STEP_LOOP, .way = (uint8_t)below(256)};
    loop.kind = chance(m->writes) ? PLAIN_WRITE : PLAIN_READ;
    loop.shape = (uint8_t)(chance(25) ? 1 + below(STEP_SHAPES - 1) : 0);
    uint32_t size = loop.shape != 0 ? size_of_shape(loop.shape)
                    : chance(60)    ? ONE_OF(1, 1, 2, 4, 4, 8, 8, 16)
                                    : 1 + below(16);
    uint32_t stride = chance(50) ? size : size * ONE_OF(1, 2, 3) + ONE_OF(0, 0, 1, 2, 4, 8);
    if (chance(10))
        stride = below(size + 1); /* each overlaps the next, or is the same */
    from += chance(80) ? -from % 4 : below(4);
    if (from + size > to)
        return false;
    uint32_t most = stride == 0 ? 3 : (to - from - size) / stride, skipped = chance(50) ? 0 : below(most + 1);
    bool down = chance(25);
    uint32_t wholes = WHOLE % size == 0 && loop.shape == 0 ? some_wholes(m, from, to, &loop.at) : 0;
    loop.size = (uint16_t)size;
    if (wholes > 0) {
        loop.stride = (int16_t)size;
        loop.count = (uint8_t)(wholes / size);
        *made = loop;
        return true;
    }
    loop.stride = (int16_t)(down ? -(int)stride : (int)stride);
    loop.at = (uint16_t)(from + stride * (down ? most : stride == 0 ? 0 : skipped));
    loop.count = (uint8_t)(chance(50) ? most - skipped + 1 : chance(3) ? 0 : 1 + below(most - skipped + 1));
    *made = loop;
    return true;
}

static void add_loop(struct maker *m, uint8_t thread, uint32_t from, uint32_t to)
{
    struct step loop;
    if (!make_loop_again(m, from, to, &loop) && !make_loop(m, from, to, &loop))
        return;
    loop.thread = thread;
    m->loop = loop;
    add(m, loop);
}

/* A part of the walk that the thread is on. */
static void add_walk(struct maker *m)
{
    uint8_t thread = some_live(m);
    struct walk *walk = &m->walk[thread];
    if (chance(m->loops)) {
        add_loop(m, thread, 0, m->bytes);
        return;
    }
    if (walk->left == 0)
        *walk = make_walk(m, thread, 0, m->bytes);
    walk_on(m, walk, 1 + below(8));
}

/* What an atomic operation on the variable of an object is. */
static struct step make_atomic(const struct maker *m, uint8_t thread, uint32_t object, bool write)
{
    return (struct step){.thread = thread,
                         .op = STEP_ATOMIC,
                         .kind = write ? ATOMIC_WRITE : ATOMIC_READ,
                         .modify = write && chance(50),
                         .order = (uint8_t)below(SEQ_CST + 1),
                         .way = (uint8_t)below(256),
                         .at = (uint16_t)(VARIABLES + 16 * object),
                         .size = (uint16_t)m->variable_size};
}

static void add_access(struct maker *m, uint8_t thread, uint32_t from, uint32_t to)
{
    m->last = make_access(m, thread, from, to);
    struct step a = m->last;
    if (m->runtime && a.kind >= ATOMIC_READ) {
        a.op = STEP_ATOMIC;
        a.order = (uint8_t)below(SEQ_CST + 1);
        a.modify = a.kind == ATOMIC_WRITE && chance(50);
    }
    add(m, a);
}

/* Accesses to the part of the memory that the object protects, with the object's lock held: exclusively, or
 * for reading. */
static void add_locked(struct maker *m, uint8_t thread, uint16_t object)
{
    uint32_t part = m->bytes / m->objects, from = object * part, writes = m->writes;
    bool rwlock = m->runtime && chance(m->readers), reads = rwlock && chance(m->text ? 85 : 60);
    m->writes = reads && chance(95) ? 0 : m->text && !reads ? 50 : writes;
    add(m, (struct step){.thread = thread,
                         .op = rwlock && !reads ? STEP_ACQUIRE_EXCLUSIVE : STEP_ACQUIRE,
                         .at = object});
    struct walk walk = make_walk(m, thread, from, from + part);
    if (chance(m->walks) && chance(m->loops))
        for (uint32_t n = 1 + below(5); n > 0; n--)
            add_loop(m, thread, from, from + part);
    else if (chance(m->walks))
        walk_on(m, &walk, MOST_BYTES);
    else
        for (uint32_t n = 1 + below(m->text ? 8 : 3); n > 0; n--)
            add_access(m, thread, from, from + part);
    uint8_t last = reads ? STEP_PUBLISH_READER : chance(80) ? STEP_RELEASE : STEP_PUBLISH;
    add(m, (struct step){.thread = thread, .op = last, .at = object});
    m->writes = writes;
}

/* The same with an atomic variable for a lock; sometimes with orders too weak for one. */
static void add_after_load(struct maker *m, uint8_t thread, uint16_t object, bool fences)
{
    uint32_t part = m->bytes / m->objects, from = object * part;
    struct step first = make_atomic(m, thread, object, chance(50)),
                last = make_atomic(m, thread, object, true);
    first.modify = first.kind == ATOMIC_WRITE;
    first.order = fences ? RELAXED : (uint8_t)ONE_OF(CONSUME, ACQUIRE, ACQ_REL, SEQ_CST);
    last.order = fences ? RELAXED : (uint8_t)ONE_OF(RELEASE, ACQ_REL, SEQ_CST);
    if (chance(m->weak))
        first.order = last.order = RELAXED;
    add(m, first);
    if (fences)
        add(m, (struct step){
                   .thread = thread, .op = STEP_FENCE, .order = (uint8_t)ONE_OF(ACQUIRE, ACQ_REL, SEQ_CST)});
    for (uint32_t n = 1 + below(3); n > 0; n--)
        add_access(m, thread, from, from + part);
    if (fences)
        add(m, (struct step){
                   .thread = thread, .op = STEP_FENCE, .order = (uint8_t)ONE_OF(RELEASE, ACQ_REL, SEQ_CST)});
    add(m, last);
}

static void add_critical_section(struct maker *m)
{
    uint8_t thread = some_live(m);
    uint16_t object = (uint16_t)below(m->objects);
    if (m->runtime && chance(m->lock_free))
        add_after_load(m, thread, object, chance(50));
    else
        add_locked(m, thread, object);
}

static void add_life(struct maker *m)
{
    uint8_t thread = some_live(m);
    if (m->known < MOST_THREADS && live_count(m) < m->most_live && chance(70)) {
        m->live[m->known] = true;
        add(m, (struct step){.thread = thread, .op = STEP_FORK, .at = (uint16_t)m->known++});
        return;
    }
    if (thread != 0 && live_count(m) > 1 && chance(60)) { /* the first outlives all: it cleans up */
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
    if (what >= 80 && m->runtime) {
        add_life(m);
        return;
    }
    if (m->runtime && chance(m->lock_free)) {
        if (chance(20))
            s = (struct step){.thread = s.thread, .op = STEP_FENCE, .order = (uint8_t)below(SEQ_CST + 1)};
        else
            s = make_atomic(m, s.thread, s.at, chance(50));
        add(m, s);
        return;
    }
    if (m->runtime && chance(m->annotated)) { /* of a variable */
        s.op = ONE_OF(STEP_ACQUIRE_ALL, STEP_ACQUIRE_ALL, STEP_ACQUIRE, STEP_PUBLISH, STEP_PUBLISH,
                      STEP_RELEASE, STEP_FORGET);
        s.at += MOST_OBJECTS;
        add(m, s);
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

/* The memory of the last loop is given out again, and its thread goes over it once more. */
static void add_clear_of_loop(struct maker *m)
{
    uint8_t thread = m->loop.thread;
    if (m->loop.op != STEP_LOOP || !m->live[thread])
        return;
    add(m, m->loop);
    add(m, (struct step){.thread = some_live(m), .op = STEP_CLEAR, .at = 0, .size = (uint16_t)m->bytes});
    add(m, m->loop);
}

static void add_clear(struct maker *m)
{
    uint32_t at = below(m->bytes), size = m->pairs ? 1 : 1 + below(m->bytes / 2);
    if (at + size > VARIABLES)
        size = VARIABLES - at;
    if (chance(m->loops)) {
        add_clear_of_loop(m);
        return;
    }
    add(m,
        (struct step){.thread = some_live(m), .op = STEP_CLEAR, .at = (uint16_t)at, .size = (uint16_t)size});
}

void schedule_make(struct schedule *s, const struct schedule_options *o)
{
    state = o->seed;
    struct maker m = {
        .s = s,
        .runtime = o->runtime,
        .length = chance(50) ? 20 + below(40) : 40 + below(o->runtime ? MOST_STEPS - 40 : 100),
        .objects = 1 + below(MOST_OBJECTS),
        .bytes = ONE_OF(4, 4, 8, 8, 16, 16, 32, 64),
        .sync = ONE_OF(5, 20, 40, 60),
        .disciplined = ONE_OF(0, 50, 90, 98, 100),
        .writes = ONE_OF(5, 30, 50, 80),
        .atomics = ONE_OF(0, 0, 10, 50, 90),
        .clears = ONE_OF(0, 0, 2, 10),
        .repeat = ONE_OF(0, 30, 70),
        .stay = ONE_OF(0, 40, 80),
        .lock_free = ONE_OF(0, 50, 50, 100),
        .weak = ONE_OF(0, 0, 5, 30),
        .readers = ONE_OF(0, 0, 30, 80),
        .annotated = ONE_OF(0, 0, 30),
        .variable_size = ONE_OF(1, 2, 4, 4, 8, 16),
        .most_live = 2 + below(4),
    };
    if (o->runtime) {
        m.sync = ONE_OF(20, 40, 60);
        m.disciplined = ONE_OF(30, 90, 98, 100);
    }
    if (chance(15)) {
        m.pairs = true;
        m.bytes = ONE_OF(8, 16);
        m.atomics = 60;
        m.clears = 10;
        m.disciplined = ONE_OF(0, 50, 90);
    }
    if (o->runtime && !m.pairs && chance(35)) {
        m.walks = ONE_OF(30, 80);
        m.bytes = ONE_OF(64, 128, VARIABLES);
        m.length = MOST_STEPS;
        m.atomics = ONE_OF(0, 0, 10);
        m.loops = ONE_OF(0, 40, 90);
        m.wholes = ONE_OF(0, 10, 50);
    }
    if (o->runtime && !m.pairs && m.walks == 0 && chance(40)) {
        m.text = true;
        m.bytes = ONE_OF(8, 16, 40);
        m.length = MOST_STEPS;
        m.objects = ONE_OF(1, 1, 2);
        m.sync = ONE_OF(10, 30);
        m.most_live = 3 + below(3);
        m.atomics = ONE_OF(0, 0, 3);
        m.writes = ONE_OF(0, 3);
        m.disciplined = ONE_OF(50, 90, 98);
        m.lock_free = 0;
        m.readers = 100;
    }
    *s = (struct schedule){.threads = o->runtime ? 1 : 2 + below(3), .inside = o->runtime && chance(30)};
    m.known = s->threads;
    for (uint32_t t = 0; t < m.known; t++)
        m.live[t] = true;
    for (uint32_t t = 0; m.text && t < 2; t++)
        add_life(&m);
    while (s->count < m.length) {
        if (chance(m.sync))
            add_sync(&m);
        else if (chance(m.clears))
            add_clear(&m);
        else if (chance(m.disciplined))
            add_critical_section(&m);
        else if (chance(m.walks))
            add_walk(&m);
        else
            add_access(&m, some_live(&m), 0, m.bytes);
    }
}
