/* Where a recorded program's accesses were made, and what its variables are called: from addresses to texts,
 * with the modules that it was made of. For the blocks of names of a recording (trace/tape_file.h): numbers
 * of 8 bytes, texts after their length. */
#pragma once

#include "base/mem.h"
#include "trace/tape.h"

struct places;

struct places *places_new(void);
void places_free(struct places *places);

/* Bytes for a block; whole entries only are put, until `put` says that it cannot. */
struct places_writer {
    bool (*put)(void *context, const void *bytes, size_t size);
    void *context;
};

/* Looks at what the process is made of now; writes what is new. What it was made of before is kept: modules
 * come and go. */
void places_look(struct places *places, uint32_t pid, const struct places_writer *to);

/* A record of the stream of places. */
void places_record(struct places *places, const struct tape_slot *slot);

/* Of each site: "file:line function < file:line caller < ...". */
void places_write_texts(struct places *places, const struct places_writer *to);

/* Of each variable of a module: its name in the source, where it lies, how large it is. */
void places_write_variables(struct places *places, const struct places_writer *to);
