/* Bytes of a trace, from a file, standard input or memory, through one window that slides forward.
 *
 * Reads into its own buffer rather than mapping the file: one path for files and pipes, constant memory, and
 * no SIGBUS when a file shrinks under us. The window grows only for a line (or block) longer than itself.
 *
 * A second pass (report details of the first access of each race) needs the bytes again: a file is read from
 * its start; a pipe, when `rewindable` was asked for, is copied to an unlinked temporary file as it is read.
 */
#pragma once

#include "base/mem.h"
#include "base/problem.h"

/* So many bytes behind the window may be read, whatever they are: for scans in wide steps. */
enum { SOURCE_SLACK = 64 };

struct source {
    const char *name; /* as the user wrote it, for messages */
    int fd;           /* -1 for memory */
    int spool;        /* -1, or the copy of what came through a pipe */
    bool end_of_input;
    bool seekable;
    int64_t start;     /* of a seekable fd: where the trace begins */
    uint64_t size;     /* in bytes, 0 where unknown */
    uint64_t consumed; /* bytes handed out so far */
    char *buffer;      /* buffer[begin, end) is read but not handed out; NULL before the first read */
    size_t capacity;   /* of the buffer; until the first read, the capacity that it will get */
    size_t begin, end;
    const char *memory; /* for a source in memory: the bytes, handed to the window piece by piece */
    size_t memory_size, memory_at;
    struct mem mem;
    struct problem unspooled; /* why there is no copy of a pipe, if there should be one */
    struct problem problem;   /* why source_more or source_line failed, if it did */
};

/* path "-" is standard input. */
bool source_open(struct source *source, const char *path, bool rewindable, struct problem *problem);
void source_memory(struct source *source, const char *name, const void *bytes, size_t size);
void source_close(struct source *source);

/* Starts again at the first byte. */
bool source_rewind(struct source *source, struct problem *problem);

/* Tries to have at least `want` bytes in the window; afterwards the window is shorter only at the end of
 * input. False on a read error (source->problem). */
bool source_more(struct source *source, size_t want);

/* Hands out the next `size` bytes, which must be in the window. Valid until the next call. */
const char *source_take(struct source *source, size_t size);

enum line_result { LINE_OK, LINE_END, LINE_FAILED };

/* The next line without its newline (and without a carriage return before it). A last line without a newline
 * counts. Longer than LONGEST_LINE fails. Valid until the next call. (*line)[*length] may be read: it is '\n'
 * or '\r', which ends every scan of a name. */
#define LONGEST_LINE (16u << 20)
enum line_result source_line(struct source *source, const char **line, size_t *length);

static inline size_t source_window(const struct source *source)
{
    return source->end - source->begin;
}
