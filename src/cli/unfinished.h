/* Files that a command writes: each appears under its name when it is whole (base/output_path.h says which files
 * may be written at all).
 *
 * Until then a file has no name, where the file system can do that (O_TMPFILE): nothing stays behind, however
 * the process ends. If something has the name already, the file gets one beside it (`NAME.part-PID`), just
 * before that is replaced; where files cannot be nameless it has that one from the beginning. Such names are
 * taken back whatever ends the process, but for kill -9. A file that cannot be replaced, as its directory is not
 * ours to write to, is overwritten in the end. Devices, pipes and standard output are written at once. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/output_path.h"

struct unfinished {
    FILE *file; /* NULL: there is none */
    struct output_path place;
    char *part; /* the file's name beside the place; NULL: it has none */
    int old;    /* the file that is there; -1: none is */
    bool direct;
};

/* "-" is standard output. A link stays a link, and the new file has the old one's permissions, but is not set-user-ID. */
bool unfinished_open(struct unfinished *u, const char *path, struct problem *problem);
/* Closes it. whole: what was written is at its place, or false; otherwise it is taken back. */
bool unfinished_close(struct unfinished *u, bool whole, struct problem *problem);

/* Do they write to one file? Devices and pipes have room for several. */
bool unfinished_same(const struct unfinished *a, const struct unfinished *b);
