/* The program that is being made.
 *
 * Glossary
 *   object      memory that threads share: an array, a grid, records, pointers, list nodes
 *   element     one lvalue in it
 *   facts       a table of numbers that is written before there are threads, and that the compiler does not
 * know: bounds and conditions come from it, so that shared memory never decides where a program goes step
 * what a thread does between two hand-overs scope       what may be used at the place where text is being
 * written
 *
 * Invariants of the text
 *   1. Indices are within bounds: of every loop variable the lowest and highest value are known.
 *   2. What decides (conditions, bounds, indices) is made of constants, loop variables and facts.
 *   3. A lock is free when it is taken: only the last step's end may leave one held, and then its thread
 * takes it no more.
 *   4. Integers are computed in unsigned long; nothing converts floating point to integers.
 */
#pragma once

#include "random.h"

enum type { CHAR, SHORT, INT, LONG, FLOAT, DOUBLE, THREE_BYTES, WIDE, TYPES };
extern const char *const type_name[TYPES];
extern const int type_size[TYPES];

enum shape { ARRAY, GRID, RECORDS, POINTERS, NODES };
enum home { PRIVATE_GLOBAL, PUBLIC_GLOBAL, HEAP, STACK };

struct object {
    enum shape shape;
    enum home home;
    enum type type; /* of an ARRAY's or GRID's elements */
    const char *name;
    int count, columns;
    int lock; /* that guards it, in programs where locks do; -1: it is one thread's own */
    int owner;
};

struct field {
    const char *name;
    enum type type;
    int bits;    /* 0: no bit-field */
    int count;   /* 0: no array */
    bool united; /* a union: `type` is the first of its members */
};

/* lowest <= name <= highest; in a function also 0 <= name < length of parameter `within`. */
struct variable {
    const char *name;
    int lowest, highest;
    int within; /* -1: no parameter */
};

/* A function that is given arrays: `a`, `b` of `n`, `m` elements. */
enum { MOST_PARAMETERS = 2, SHORTEST = 6, LONGEST = 24 };
extern const char *const length_name[MOST_PARAMETERS];

struct function {
    const char *name;
    int parameter_count;
    enum type parameter[MOST_PARAMETERS];
    uint32_t takes; /* locks */
    int cost;       /* accesses of one call, about */
};

enum {
    MOST_OBJECTS = 10,
    MOST_FIELDS = 8,
    MOST_FUNCTIONS = 4,
    MOST_THREADS = 4,
    FACTS = 16,
    LOCKS = 4, /* the last one is a reader-writer lock */
    ATOMICS = 3,
};

struct program {
    long seed;
    const char *prefix;
    struct object object[MOST_OBJECTS];
    int object_count;
    struct field field[MOST_FIELDS];
    int field_count;
    bool packed;
    struct function function[MOST_FUNCTIONS];
    int function_count;
    int fact[FACTS];
    int threads;
    bool guarded; /* objects are accessed with their lock held, or by their owner; else: by anybody, any time
                   */
    int slip;     /* ... but in so many of a hundred cases not */
    int sites;    /* accesses so far */
    int planted;  /* the one that has a fault; -1: none */
};

struct scope {
    struct program *program;
    FILE *out;
    int indent, depth;
    uint32_t objects; /* that may be accessed */
    uint32_t held;    /* locks */
    struct variable variable[8];
    int variable_count;
    int parameter_count; /* in a function */
    enum type parameter[MOST_PARAMETERS];
    struct function *function;
    int thread;       /* -1: in a function, of any thread */
    bool ends;        /* the program may end here */
    int times;        /* how often this place is reached, at most */
    const char *exit; /* the statement that leaves the function, or the step; NULL: not from here */
    bool can_break, can_continue;
    int *budget; /* statements that may still be written */
};

/* One line of text. */
void line(struct scope *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- objects.c --- */

void objects_make(struct program *p);
void objects_declare(const struct program *p, FILE *out);
/* At the beginning of the program, in the only thread there is. */
void objects_set_up(struct program *p, FILE *out);
/* What a thread may access while it holds these locks. */
uint32_t objects_allowed(const struct program *p, int thread, uint32_t held);
/* Text for the address of the first element and the size in bytes of all of it. */
const char *object_first(const struct object *o);
const char *object_bytes(const struct object *o);

/* --- elements.c --- */

struct element {
    const char *text;
    enum type type;
    bool addressable; /* not a bit-field, and aligned */
};

const char *number(struct scope *s);    /* an unsigned long, of constants, variables and facts */
const char *condition(struct scope *s); /* of the same */
const char *index_below(struct scope *s, int count);
struct element element(struct scope *s); /* of whatever may be accessed */
struct element element_of(struct scope *s, const struct object *o);
/* A constant, or a fact of that value. */
const char *value(struct scope *s, int number);
struct element field_of(struct scope *s, const char *record, const struct field *f);
/* An object of this shape that may be accessed; NULL: there is none. */
const struct object *object_of(struct scope *s, enum shape shape);

/* --- accesses.c --- */

void write_access(struct scope *s);
void write_access_to(struct scope *s, const struct element *e);
/* The same element, or its neighbours, or the record's fields, several times. */
void write_accesses_nearby(struct scope *s);
void write_block_access(struct scope *s);

/* --- loops.c --- */

void write_loop(struct scope *s);

/* --- statements.c --- */

void write_statement(struct scope *s);
void write_statements(struct scope *s, int count);
void write_synchronization(struct scope *s);
/* One element, on both sides of something that only acquires, or only releases. */
void write_accesses_around(struct scope *s);

/* --- functions.c --- */

void write_functions(struct program *p, FILE *out);
void write_call(struct scope *s);
