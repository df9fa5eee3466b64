/* A trace being written for a command: to standard output, or to a file that appears only when it is whole.
 *
 * A failed conversion neither leaves half a trace nor destroys what was there (cli/unfinished.h).
 */
#pragma once

#include "base/problem.h"
#include "cli/unfinished.h"
#include "trace/writer.h"

struct output {
    const char *path; /* as the user wrote it; "-" is standard output */
    struct unfinished unfinished;
    const struct writer_format *format;
    struct writer *writer;
};

/* format NULL: by the path's ending. */
bool output_open(struct output *output, const char *path, const struct writer_format *format,
                 bool closed_world, struct problem *problem);
bool output_put(struct output *output, const struct names *names, const struct event *events, size_t count,
                struct problem *problem);
/* Completes the file (keep), or takes it away again. False: it could not be completed. */
bool output_close(struct output *output, bool keep, struct problem *problem);
