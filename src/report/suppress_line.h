/* One line of a suppression file: `type:template`, TSan's syntax. Read inside the program under test as well
 * (a file with a mistake is refused before the program starts): nothing here uses libc. */
#pragma once

#include "base/base.h"

/* A file that is larger is not one of suppressions, and may have no end. */
enum { SUPPRESSIONS_MOST_BYTES = 16 << 20 };

/* The first four apply to races; race_pair is our own. The others are read, for the files that have them. */
#define SUPPRESSION_TYPES(X)                                                                                 \
    X(race)                                                                                                  \
    X(race_top)                                                                                              \
    X(race_pair)                                                                                             \
    X(called_from_lib)                                                                                       \
    X(thread)                                                                                                \
    X(mutex)                                                                                                 \
    X(signal)                                                                                                \
    X(deadlock)

enum suppression_type {
#define X(name) SUPPRESS_##name,
    SUPPRESSION_TYPES(X)
#undef X
};

struct suppression_line {
    enum suppression_type type;
    const char *pattern; /* in the line; not terminated */
    size_t pattern_length;
    const char *problem; /* of a bad line: what is wrong with it */
};

enum suppression_result { SUPPRESSION_NONE, SUPPRESSION_GOOD, SUPPRESSION_BAD };

/* NONE: blank, or a comment. BAD: no such type, or no template. */
enum suppression_result suppression_line_parse(const char *line, size_t length,
                                               struct suppression_line *parsed);
