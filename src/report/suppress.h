/* Suppressions: races that somebody has decided not to hear about.
 *
 * A template is a text with `*` for anything; it may match anywhere unless it begins with ^ or ends with $.
 *
 *   race             function, file or module of any frame of either access, or of the creation of their
 *                    threads; or name or module of the global variable
 *   race_top         the same for the innermost frame of either access
 *   called_from_lib  module of the innermost frame: what a library accesses through libc
 *   race_pair        A <- B <-> C <- D on V: one access was in A, called by B, the other in C, called by D; V
 *                    is the global variable. Instead of " on V", " allocated in E <- F": it was a heap block
 * that E, called by F, allocated. As many callers as are given; what the memory was may be missing; a star
 * alone is any stack.
 */
#pragma once

#include <stdio.h>

#include "report/live.h"
#include "report/suppress_line.h"

struct suppression {
    struct suppression *next;
    enum suppression_type type;
    const char *pattern;
    uint64_t hits;
};

struct suppressions {
    struct pool pool;
    struct suppression *first, **last;
};

/* Adds every line of the text. False after the first bad one. */
bool suppressions_add_text(struct suppressions *s, const char *text, size_t length, struct problem *problem);

/* The same for a file. A relative path that leads nowhere is tried again in `directory` (NULL: not). */
bool suppressions_add_file(struct suppressions *s, const char *path, const char *directory,
                           struct problem *problem);

/* The first suppression that matches the race, its hit counted; NULL: none. */
const struct suppression *suppressions_match(struct suppressions *s, const struct live_race *race);

/* A line that hides this race: of the same two stacks, and the same global variable, or heap blocks that
 * were allocated by the same stack, if it is one. */
void suppression_write(const struct live_race *race, FILE *out);

bool suppression_template_matches(const char *pattern, const char *text);

bool suppression_is_about_races(enum suppression_type type);
const char *suppression_type_name(enum suppression_type type);

void suppressions_free(struct suppressions *s);
