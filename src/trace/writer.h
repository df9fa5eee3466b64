/* Writing a trace: STD text or .pft, to a file or to standard output. */
#pragma once

#include <stdio.h>

#include "base/problem.h"
#include "trace/event.h"
#include "trace/names.h"

struct writer;

struct writer_format {
    const char *name; /* for --format */
    const char *ending;
    /* closed_world: trace/reader.h; a format without a place for it ignores it. */
    struct writer *(*open)(FILE *out, bool closed_world);
    /* False: it could not be written, errno says why. */
    bool (*put)(struct writer *writer, const struct names *names, const struct event *events, size_t count);
    bool (*finish)(struct writer *writer); /* writes what is pending; frees the writer */
};

extern const struct writer_format writer_std, writer_pft;

/* The formats that can be written; NULL-terminated. */
extern const struct writer_format *const writer_formats[];

/* By its name, or by a path's ending; NULL when unknown. */
const struct writer_format *writer_format_named(const char *name);
const struct writer_format *writer_format_for(const char *path);
