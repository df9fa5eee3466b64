/* What is mapped where in this process, read from /proc/thread-self/maps: without the dynamic linker's locks,
 * so that it works at any point of the program. For reports only; callers hold the report's lock (one
 * buffer).
 */
#pragma once

#include "runtime/thread.h"

struct mapping {
    uintptr_t from, to;
    uint64_t offset;
    bool executable;
    const char *path; /* "" for anonymous memory; "[stack]" and the like */
};

/* Calls visit for every mapping, in the order of addresses, until it returns false. */
HIDDEN void maps_each(bool (*visit)(void *context, const struct mapping *mapping), void *context);

/* The image of an executable file: consecutive mappings of it, and the anonymous memory that follows
 * directly. */
struct image {
    uintptr_t from, to;
    uintptr_t code; /* where its executable pages begin, and where that is in the file */
    uint64_t offset;
    bool unloaded; /* it was there */
    char path[4096];
};

/* One that was unloaded. */
struct closed_image {
    uintptr_t from, to, code;
    uint64_t offset;
    const char *path;
    const struct closed_image *next;
};

/* Copies it. Inside the world. */
HIDDEN void maps_remember(const struct closed_image *image);

/* Those that are there, then those that were, the latest first. */
HIDDEN void maps_each_image(bool (*visit)(void *context, const struct image *image), void *context);
