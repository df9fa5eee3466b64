/* A race as the runtime tells it: addresses, no names. Unpacked from a message (report/wire.h) whose bytes it
 * points into. */
#pragma once

#include "base/problem.h"
#include "report/wire.h"

struct raw_stack {
    const uint64_t *pc; /* return addresses, innermost first */
    uint64_t count, flags;
};

struct raw_text {
    const char *text; /* not terminated */
    uint64_t length;
};

struct raw_lock {
    uint64_t address, mode;
};

struct raw_access {
    uint64_t kind, flags, size, address, thread;
    struct raw_stack stack;
    uint64_t lock_count;
    const struct raw_lock *lock;
    uint64_t released; /* a lock that was given up before; 0: none, or unknown */
    struct raw_stack released_stack;
};

struct raw_location {
    uint64_t kind, address, size, thread;
    struct raw_stack stack;
    uint64_t freed_by;
    struct raw_stack free_stack;
    uint64_t map_from, map_to;
    struct raw_text map_path;
};

struct raw_thread {
    uint64_t id, kernel_id, flags, creator;
    struct raw_text name;
    struct raw_stack stack;
};

struct raw_mutex {
    uint64_t address;
    struct raw_stack stack;
};

struct raw_sync {
    uint64_t flags, kind, object;
    struct raw_stack stack;
};

struct raw_module {
    uint64_t from, to;     /* of the image in memory; may be too long, never too short */
    uint64_t code, offset; /* its executable pages, there and in the file */
    uint64_t flags;        /* WIRE_MODULE_* */
    struct raw_text path;
};

enum {
    RAW_MOST_THREADS = 16,
    RAW_MOST_MUTEXES = 2 * WIRE_MOST_LOCKS,
    RAW_MOST_MODULES = 1024,
    RAW_MOST_CALLS = 64
};

struct raw_race {
    uint32_t pid;
    struct raw_access current, earlier;
    struct raw_location location;
    uint64_t block, block_size; /* to which a racing pointer leads; 0: none */
    uint64_t thread_count, sync_count, mutex_count, module_count;
    uint64_t known; /* WIRE_KNOWN_* */
    struct raw_thread thread[RAW_MOST_THREADS];
    struct raw_sync sync[WIRE_MOST_SYNC];
    struct raw_mutex mutex[RAW_MOST_MUTEXES];
    struct raw_module module[RAW_MOST_MODULES];
};

struct raw_settings {
    const void *options;
    uint64_t options_size;
    struct raw_text suppressions, executable;
};

struct raw_finish {
    int64_t status; /* the program's own; -1: not known */
    uint64_t overwritten_threads, overwritten_entries, ignored_regions, benign_ranges;
    uint64_t call_count, module_count;
    struct raw_text call[RAW_MOST_CALLS], module[RAW_MOST_MODULES];
};

/* The header of a message of `length` bytes, aligned to 8; NULL if it is none of ours. */
const struct wire_header *raw_header(const void *message, size_t length);

/* False: the message is damaged. */
bool raw_race_unpack(struct raw_race *race, const struct wire_header *message);
bool raw_finish_unpack(struct raw_finish *finish, const struct wire_header *message);
bool raw_settings_unpack(struct raw_settings *settings, const struct wire_header *message);
