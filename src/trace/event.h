/* The events of a trace: the vocabulary between readers, the feasibility check, detectors and writers.
 *
 * A trace is a sequence of events in the order in which they were observed (000 §2). Event numbers are
 * 1-based. Threads, locks, variables ... are dense ids in order of first appearance, one numbering per class;
 * trace/names.h keeps what they are called.
 */
#pragma once

#include "base/base.h"

/* What an operand names. */
enum name_class {
    NAME_VARIABLE,
    NAME_LOCK,
    NAME_THREAD,
    NAME_VOLATILE,
    NAME_BARRIER,
    NAME_NOTE,
    NAME_LOCATION,
    NAME_CLASSES
};

/* op, its word in the STD format, what its operand is. The order is part of the .pft format. */
#define TRACE_OPS(X)                                                                                         \
    X(READ, "r", NAME_VARIABLE)                                                                              \
    X(WRITE, "w", NAME_VARIABLE)                                                                             \
    X(ACQUIRE, "acq", NAME_LOCK)                                                                             \
    X(RELEASE, "rel", NAME_LOCK)                                                                             \
    X(FORK, "fork", NAME_THREAD)                                                                             \
    X(JOIN, "join", NAME_THREAD)                                                                             \
    X(VREAD, "vr", NAME_VOLATILE)                                                                            \
    X(VWRITE, "vw", NAME_VOLATILE)                                                                           \
    X(ALLOC, "alloc", NAME_VARIABLE)                                                                         \
    X(READ_ACQUIRE, "racq", NAME_LOCK)                                                                       \
    X(READ_RELEASE, "rrel", NAME_LOCK)                                                                       \
    X(BARRIER_IN, "bin", NAME_BARRIER)                                                                       \
    X(BARRIER_OUT, "bout", NAME_BARRIER)                                                                     \
    X(BEGIN, "begin", NAME_NOTE)                                                                             \
    X(END, "end", NAME_NOTE)                                                                                 \
    X(DUMMY, "dummy", NAME_NOTE)

enum op {
#define X(name, word, operand) OP_##name,
    TRACE_OPS(X)
#undef X
        OP_COUNT
};

/* Set by the feasibility check for the detectors; zero in what readers deliver and writers take. */
enum event_flag {
    EVENT_STARTS_THREAD = 1, /* first event of a thread that nobody forked */
    EVENT_LAST_OUT = 2, /* nobody will leave this barrier round, or join this thread, any more: its state can
                                be dropped */
    EVENT_NOBODY = 4    /* nor does anybody now: it is dropped, and that is all (runtime/host/) */
};

struct event {
    uint32_t thread;
    uint32_t target; /* id in the class that the op's operand has; NO_TARGET for a bare begin/end/dummy */
    uint32_t location;
    uint8_t op;
    uint8_t flags;
    uint16_t unused;
};
_Static_assert(sizeof(struct event) == 16, "four events a cache line");

#define NO_TARGET UINT32_MAX

/* A location is a number of the trace's own (most tools write plain decimals) or the id of a text:
 *   0 .. 2^31-1         that decimal number        LOCATION_NAMED | id    names of class NAME_LOCATION
 *   NO_LOCATION         the format gave none */
#define LOCATION_NAMED UINT32_C(0x80000000)
#define NO_LOCATION    UINT32_MAX

/* Most ids a class may have: room for tags in every table that holds ids. */
#define MOST_IDS UINT32_C(0x40000000)

extern const char *const op_word[OP_COUNT];
extern const uint8_t op_operand[OP_COUNT]; /* enum name_class */

hot_inline bool op_is_access(unsigned op)
{
    return op <= OP_WRITE;
}
