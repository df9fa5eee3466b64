/* Files that are being written, and appear under their name when they are whole.
 *
 * Until then a file has no name, where the file system can do that (O_TMPFILE): nothing stays behind, however
 * the process ends. If something has the name already, the file gets one beside it (`place.part-PID`), just
 * before that is replaced; where files cannot be nameless it has that one from the beginning. Such names are
 * taken back whatever ends the process, but for kill -9. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct unfinished {
    char *place; /* where it will be; NULL: there is none */
    char *name;  /* beside it, until then */
    bool named;  /* has the file got that? */
    FILE *file;
};

/* For `path`, which is a file, or nothing yet: a link stays a link, and the new file has the old one's mode.
 * False: errno says why. */
bool unfinished_open(struct unfinished *u, const char *path);
/* Closes it; whole: what was written is at its place, or false, and errno says why; otherwise it is taken
 * back. */
bool unfinished_close(struct unfinished *u, bool whole);
