/* Where an output file is or will be, and the rule for writing to it.
 *
 * In a directory that several users may write to, such as /tmp, anybody can put something under a name that we
 * are about to write to. The kernel's answers (protected_symlinks, protected_regular, protected_fifos,
 * protected_hardlinks) may be off, so this is our own:
 *   1. A symbolic link in a shared directory is followed only if it belongs to us, to root or to the owner of
 *      the directory. This holds for every link on the way, not only for the last one.
 *   2. A file that exists in a shared directory is written to under the same condition, and if it has no
 *      other name (a hard link may be another user's way to a file of ours).
 *   3. A directory that another user made in a shared one is theirs, with all that is in it: there, links and
 *      files must be ours or root's.
 *   4. No directory is created.
 * Links elsewhere work as usual, and so do /dev/stdout and /dev/fd/N, which stand for our own descriptors.
 *
 * Every file that photofinish writes for a user is found by output_path_find. */
#pragma once

#include <sys/stat.h>

#include "base/problem.h"

struct output_path {
    int directory; /* open; -1: there is none */
    char *name;    /* in that directory; not a symbolic link, except in /proc */
    bool in_proc;  /* a link there leads to an open file, not to a path */
    bool foreign;  /* the directory is another user's (rule 3) */
};

/* Follows the links that may be followed. The file itself need not exist. */
bool output_path_find(struct output_path *place, const char *path, struct problem *problem);

/* False: nothing is there (yet). */
bool output_path_stat(const struct output_path *place, struct stat *st);

/* Opens what is there, or a new file if the flags have O_CREAT; -1: the problem says why. Never truncates:
 * O_TRUNC would empty a file before it is known whose it is. */
int output_path_open(const struct output_path *place, int flags, struct problem *problem);

bool output_path_same(const struct output_path *a, const struct output_path *b);

void output_path_free(struct output_path *place);

/* All of it at once. */
int output_file_open(const char *path, int flags, struct problem *problem);
