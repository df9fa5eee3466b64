/* Schedules of simulated threads, one step at a time: made at random, run through a world (the code under test),
 * judged by the definition of a race, shrunk and printed when the world is wrong.
 *
 * The judge: for every pair of steps, is there a direct edge? Closed transitively, that is happens-before:
 *   any two steps of one thread
 *   RELEASE and PUBLISH of an object to a later ACQUIRE of it, unless a RELEASE (which replaces what was there)
 *   or a FORGET stands in between; PUBLISH_READER in the same way to a later ACQUIRE_EXCLUSIVE, which is also an
 *   ACQUIRE
 *   LEARN(u): every earlier step of u
 *   FORK(u) to the steps of u; the steps of u to JOIN(u)
 *   what C++20 says of atomic operations and fences: an operation reads from the last write to its variable since it
 *   was cleared; that write and, while they are read-modify-writes, those before it, back to a store, are what it can
 *   synchronize with: each that releases, or else the last release fence before it in its thread; to the operation,
 *   if that acquires, or else to the acquire fences after it in its thread; a variable can be an object, too: an
 *   operation that reads it sees what was released into the object, and ACQUIRE_ALL both
 * An access races at a byte if an earlier access to the byte since it was last cleared is unordered with it and
 * conflicts: two plain ones of which one writes; an atomic and a plain one of which one writes; never two atomics.
 *
 * What is asked of the world, after every access:
 *   - it tells a race if a byte races at which there was no race before (FastTrack2's promise is the first race of
 *     every location; bytes that have raced are *tainted*);
 *   - whatever it tells is true: the byte is in the access, and an access of that kind in that epoch races with it; if it
 *     says of which address and size that was, there was one;
 *   - if no byte of the access is tainted, the byte it names is the first that races.
 * A LOOP is many accesses at once (runtime/loops.h), each judged for itself. What the world tells of one is an access of the
 * loop, address and size; or some of them, without gaps and in one word.
 * A world may be *late*: it may tell of an access at a later step, and so call the later of two accesses the earlier. Then, of every race told: the two accesses exist and race; and at the end: for every byte
 * that raced, a race of an access to that byte was told since it was cleared.
 */
#pragma once

#include <stdio.h>

#include "shadow/access.h"

enum { MOST_STEPS = 256, MOST_THREADS = 64, MOST_OBJECTS = 4, MOST_BYTES = 256, WHY_BYTES = 200 };
/* Atomic variables for synchronization only, one an object, 16 bytes each; data is below. */
enum { VARIABLES = MOST_BYTES - 16 * MOST_OBJECTS };
/* Objects from MOST_OBJECTS on are those variables. Others may live among the data, so many bytes apart: two of them
 * in one word. */
enum { OBJECT_STRIDE = 5 };

#define STEP_OPS(X)                                                                                          \
    X(ACCESS)                                                                                                \
    X(LOOP)                                                                                                  \
    X(ATOMIC)                                                                                                \
    X(CLEAR)                                                                                                 \
    X(ACQUIRE)                                                                                               \
    X(RELEASE)                                                                                               \
    X(PUBLISH)                                                                                               \
    X(PUBLISH_READER)                                                                                        \
    X(ACQUIRE_EXCLUSIVE)                                                                                     \
    X(ACQUIRE_ALL)                                                                                           \
    X(FORGET)                                                                                                \
    X(LEARN)                                                                                                 \
    X(FENCE)                                                                                                 \
    X(TICK)                                                                                                  \
    X(FORK)                                                                                                  \
    X(END)                                                                                                   \
    X(JOIN)

enum step_op {
#define X(op) STEP_##op,
    STEP_OPS(X)
#undef X
};

/* As compilers number them. */
enum step_order { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };

struct step {
    uint8_t thread, op;
    uint8_t kind;  /* ACCESS, LOOP, ATOMIC: enum access_kind */
    uint8_t order; /* ATOMIC, FENCE: enum step_order */
    bool modify;   /* ATOMIC write: that also reads */
    uint8_t
        way; /* ACCESS, LOOP, ATOMIC: a random number, for the world to choose among several ways to do it */
    uint16_t
        at; /* ACCESS, LOOP, ATOMIC, CLEAR: first byte; sync: the object; LEARN, FORK, JOIN: the other thread */
    uint16_t size;  /* ACCESS, ATOMIC, CLEAR; LOOP: of an element */
    uint8_t shape;  /* LOOP: of an element, see step_shapes */
    uint8_t count;  /* LOOP: how many elements */
    int16_t stride; /* LOOP: how far each is from the one before */
};

/* The neighbouring fields that an element consists of, each an access; none: it is one. */
enum { MOST_FIELDS = 4 };
struct step_shape {
    uint8_t fields, size[MOST_FIELDS];
};
enum { STEP_SHAPES = 10 };
extern const struct step_shape step_shapes[STEP_SHAPES];

/* The accesses of a step: byte and size of each. */
struct step_part {
    size_t at, size;
};
size_t step_parts(const struct step *step);
struct step_part step_part(const struct step *step, size_t number);

struct schedule {
    unsigned threads; /* that exist from the start: 0 .. threads - 1 */
    bool inside;      /* objects live among the data, and a CLEAR forgets them */
    size_t count;
    struct step step[MOST_STEPS];
};

/* A race that the world tells of. */
struct told {
    unsigned thread;   /* that makes the access, or has made it before in the same epoch */
    uintptr_t address; /* of the access */
    size_t size;
    enum access_kind kind;
    uintptr_t byte;          /* that races */
    struct conflict other;   /* the earlier access */
    uintptr_t other_address; /* of it, where the world can tell; otherwise 0 */
    size_t other_size;
};

struct schedule_options {
    uint64_t seed;
    /* For the runtime as a whole: threads are forked, end and are joined, instead of LEARN and TICK; atomic
     * accesses synchronize (ATOMIC, FENCE). */
    bool runtime;
};

/* The code under test. */
struct world {
    void (*begin)(const struct schedule *schedule);
    /* Makes the step, and calls schedule_told() for the races it finds. Returns the epoch that the thread was in. */
    uint32_t (*step)(const struct step *step);
    /* Late worlds: what the thread has not told yet is told. Called for all before a CLEAR, and at the end. */
    void (*settle)(unsigned thread);
    /* NULL, or what is wrong. */
    const char *(*end)(const struct schedule *schedule);
    uintptr_t base; /* address of byte 0 */
    bool late;
    bool
        parts; /* accesses may be checked in parts, of which each tells of the access with its own first byte that races */
    bool renames; /* epochs may have another name when they are told than when they were returned */
};

void schedule_told(const struct told *told);
/* Has it been called since the last question? For tests without a schedule. */
bool schedule_told_any(void);
/* ... about this access? */
bool schedule_told_of(uintptr_t address, size_t size);

void schedule_make(struct schedule *schedule, const struct schedule_options *options);

/* False, and why, if the world is wrong. */
bool schedule_check(const struct schedule *schedule, const struct world *world, char why[WHY_BYTES],
                    uint64_t *races);

/* Takes steps out as long as `wrong` says that the world is wrong on what remains. */
void schedule_shrink(struct schedule *schedule, bool (*wrong)(const struct schedule *schedule));

void schedule_print(const struct schedule *schedule, FILE *out);
