/* A trace being written for a command: to standard output, or to a file that appears only when it is whole.
 *
 * A file is written under a temporary name beside its place and renamed at the end, so that a failed
 * conversion neither leaves half a trace nor destroys what was there. (Devices and pipes are written as is.)
 */
#pragma once

#include "base/problem.h"
#include "trace/writer.h"

struct output {
    const char *path; /* as the user wrote it; "-" is standard output */
    char *place;      /* where the file will be: path with links resolved; NULL when path itself is written */
    char *temporary;  /* name being written until then */
    FILE *file;
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
