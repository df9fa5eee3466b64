#include "spots.h"

/* INTEGERS is the same for any number of threads, so that only the clocks grow with it. */
enum { INTEGERS = 1024, SLOTS = 64, VALUES = 64, NOTHING = VALUES };

enum operation { INSERT, DELETE, QUERY, OPERATIONS };

/* Where a thread is in its current operation on the multiset. */
struct visitor {
    enum operation operation;
    uint32_t value, slot;
    bool reserved; /* INSERT found its slot, which it must still make valid */
};

struct spots {
    uint64_t random;
    uint32_t threads;
    uint32_t element[SLOTS];
    bool valid[SLOTS];
    struct visitor visitor[MOST_SPOT_THREADS];
};

static uint32_t below(struct spots *s, uint32_t bound)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((s->random >> 32) * bound >> 32);
}

/* --- SharedSpot and LocalSpot: arithmetic on integers, each under its own lock --- */

static void add_to(struct stream *stream, uint32_t thread, uint32_t integer)
{
    stream_put(stream, thread, OP_ACQUIRE, integer);
    stream_put(stream, thread, OP_READ, integer);
    stream_put(stream, thread, OP_WRITE, integer);
    stream_put(stream, thread, OP_RELEASE, integer);
}

static void shared_turn(struct stream *stream, struct spots *s, uint32_t thread)
{
    add_to(stream, thread, below(s, INTEGERS));
}

/* Of every `threads` neighbouring integers, each thread has one. */
static void local_turn(struct stream *stream, struct spots *s, uint32_t thread)
{
    add_to(stream, thread, below(s, INTEGERS / s->threads) * s->threads + thread);
}

/* --- Multiset: an array of slots (element, valid), each under its own lock, searched from the front --- */

static void put_element(struct stream *stream, uint32_t thread, enum op op, uint32_t slot)
{
    stream_put(stream, thread, op, 2 * slot);
}

static void put_valid(struct stream *stream, uint32_t thread, enum op op, uint32_t slot)
{
    stream_put(stream, thread, op, 2 * slot + 1);
}

/* Each visit returns whether the operation is done. */

static bool visit_insert(struct stream *stream, struct spots *s, uint32_t thread, struct visitor *v)
{
    if (v->reserved) {
        put_valid(stream, thread, OP_WRITE, v->slot);
        s->valid[v->slot] = true;
        return true;
    }
    put_element(stream, thread, OP_READ, v->slot);
    if (s->element[v->slot] == NOTHING) {
        put_element(stream, thread, OP_WRITE, v->slot);
        s->element[v->slot] = v->value;
        v->reserved = true;
    }
    return false;
}

static bool visit_find(struct stream *stream, struct spots *s, uint32_t thread, struct visitor *v)
{
    put_element(stream, thread, OP_READ, v->slot);
    if (s->element[v->slot] != v->value)
        return false;
    put_valid(stream, thread, OP_READ, v->slot);
    if (!s->valid[v->slot])
        return false;
    if (v->operation == DELETE) {
        put_element(stream, thread, OP_WRITE, v->slot);
        put_valid(stream, thread, OP_WRITE, v->slot);
        s->element[v->slot] = NOTHING;
        s->valid[v->slot] = false;
    }
    return true;
}

static void multiset_turn(struct stream *stream, struct spots *s, uint32_t thread)
{
    struct visitor *v = &s->visitor[thread];
    uint32_t slot = v->slot;
    stream_put(stream, thread, OP_ACQUIRE, slot);
    bool done =
        v->operation == INSERT ? visit_insert(stream, s, thread, v) : visit_find(stream, s, thread, v);
    stream_put(stream, thread, OP_RELEASE, slot);
    if (!done && !v->reserved)
        done = ++v->slot == SLOTS;
    if (done)
        *v = (struct visitor){.operation = (enum operation)below(s, OPERATIONS), .value = below(s, VALUES)};
}

/* --- all three --- */

const struct spot_program spot_programs[SPOT_PROGRAMS] = {
    {"SharedSpot", "1024 integers, each with its own lock; every thread updates any of them", INTEGERS,
     shared_turn},
    {"LocalSpot", "the same integers and locks, but each belongs to one thread", INTEGERS, local_turn},
    {"Multiset", "insert, delete, query in 64 slots, each with its own lock", 2 * SLOTS, multiset_turn},
};

void spots_run(const struct spot_program *program, struct stream *stream, const struct detector *detector,
               uint32_t threads, uint64_t accesses)
{
    require(threads >= 1 && threads <= MOST_SPOT_THREADS);
    struct spots spots = {.random = 4, .threads = threads};
    for (uint32_t i = 0; i < SLOTS; i++)
        spots.element[i] = NOTHING;
    for (uint32_t i = 0; i < threads; i++)
        spots.visitor[i].value = below(&spots, VALUES);
    uint32_t spare = program->variables;
    stream_open(stream, detector);
    stream_put_all(stream, OP_FORK, threads);
    while (stream->accesses < accesses)
        program->turn(stream, &spots, below(&spots, threads));
    for (uint32_t thread = 0; thread < threads && thread < 2; thread++)
        stream_put(stream, thread, OP_WRITE, spare);
    stream_put_all(stream, OP_JOIN, threads);
    stream_flush(stream);
}
