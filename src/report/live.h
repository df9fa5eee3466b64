/* A race of a running program as data: two accesses with their stacks, what the memory is, who the threads
 * are. */
#pragma once

#include "report/options.h"
#include "report/pool.h"
#include "report/raw.h"
#include "report/race.h"
#include "report/symbols.h"

struct live_frame {
    const char *function, *file; /* NULL: unknown */
    const char *source;          /* the file where it can be read: `file` may lack a prefix */
    const char *module;          /* path; NULL: in no file */
    uint32_t line, column;       /* 0: unknown */
    uint32_t function_line;      /* where the function begins; 0: unknown */
    bool nested;                 /* ... or the one that it was written in */
    uint64_t address;            /* of the call, in the program */
    uint64_t offset;             /* the same in the module */
    bool inlined;
    bool mark; /* no call: `function` says that the frames below are where the one above was registered */
};

struct live_stack {
    struct live_frame *frame;
    size_t count;
    bool known, cut; /* cut: there were more frames */
};

struct live_lock {
    const struct live_mutex *mutex;
    bool read; /* held for reading */
};

struct live_access {
    enum wire_access_kind kind;
    bool is_free;
    bool in_handler; /* of a signal */
    uint64_t size;   /* 0: not known any more */
    uint64_t address;
    const struct live_thread *thread; /* NULL: not known any more */
    struct live_stack stack;
    struct live_lock *lock;
    size_t lock_count;
    bool locks_known;
    bool locks_cut; /* there were more */
    /* Of an access whose stack is lost: the last lock that its thread had given up by then. NULL: unknown. */
    const struct live_mutex *released;
    struct live_stack released_stack;
};

enum live_place { LIVE_UNKNOWN, LIVE_GLOBAL, LIVE_HEAP, LIVE_STACK, LIVE_TLS, LIVE_MAPPED, LIVE_DESCRIPTOR };

struct live_location {
    enum live_place place;
    bool freed;
    uint64_t address, size;    /* of the variable or block; address: of a descriptor, its number */
    const char *name, *module; /* of a global; name NULL: unknown. Of a mapping: name is its file, or NULL */
    uint64_t offset;
    const struct live_thread *thread; /* who allocated or opened it, or whose stack it is; NULL: unknown */
    struct live_stack stack;          /* of that */
    const struct live_thread *freed_by;
    struct live_stack free_stack;
};

struct live_thread {
    uint64_t id, kernel_id, creator; /* creator WIRE_NO_THREAD: unknown */
    const char *name;                /* "" if it has none */
    bool running;
    bool detached, joined;   /* at most one of them; by the time of the report */
    struct live_stack stack; /* of its creation */
};

struct live_mutex {
    unsigned number; /* M1, M2, ... within the report */
    uint64_t address;
    const char *name;        /* of a global one; NULL: none, or unknown */
    struct live_stack stack; /* of its creation */
};

/* What one of the two threads did that orders threads. */
struct live_sync {
    bool second;                     /* the thread of the current access */
    bool after;                      /* its access, that is; otherwise before it */
    bool reached;                    /* the other thread knew of it when it made its own access */
    bool acquires, releases, writes; /* neither of the first two: a relaxed operation on an atomic variable */
    bool shared;                     /* a lock, for reading */
    enum wire_sync kind;
    uint64_t object;                /* its address; of a thread its id */
    const struct live_mutex *mutex; /* NULL: the report does not speak of it elsewhere */
    const char *name;               /* of a global object; NULL: none, or unknown */
    struct live_stack stack;
};

/* Why the two are not ordered, as far as it was observed: a few sentences (report/explain.h). */
struct explanation {
    size_t count;
    const char *line[6];
};

/* A shape of races that is recognised (report/shape.h). */
struct shape {
    const char *name;   /* for programs, such as "unlocked counter"; NULL: none that is known */
    const char *advice; /* for people: what was observed, and what usually fixes it */
};

/* A library that may order the accesses in ways that are not seen (report/unseen.h). */
struct unseen {
    const char *library; /* its file's name; NULL: there is none */
    const char *text;    /* a sentence that says why it is thought of */
};

struct live_race {
    uint32_t pid;
    struct live_access current, earlier;
    struct live_location location;
    /* a pointer raced, which led to so many bytes that its writer had allocated; 0: not */
    uint64_t block_size;
    struct live_thread *thread;
    size_t thread_count;
    struct live_mutex *mutex;
    size_t mutex_count;
    struct live_sync *sync; /* the first thread's, then the second's; of each, the oldest first */
    size_t sync_count;
    uint64_t known; /* WIRE_KNOWN_*: what the list lacks */
    struct unseen unseen;
    struct explanation why;
    struct shape shape;
};

/* Everything the race consists of lies in the pool, or lives as long as `symbols`. */
void live_race_make(struct live_race *race, const struct raw_race *raw, const struct options *options,
                    struct symbols *symbols, struct pool *pool);

/* All the sentences that say why the two are not ordered, as one text. */
const char *live_race_explain(const struct live_race *race, struct pool *pool);

enum race_kind live_race_kind(const struct live_race *race);

/* The frame that a report is named after: live_stack_shown() of the current access, or else its innermost.
 * NULL: none. */
const struct live_frame *live_race_top(const struct live_race *race);
