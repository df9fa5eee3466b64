/* Which file is run as the helper that writes reports (channel.h).
 *
 * It runs with the program's rights, so it must be one that nobody else could have put there. There is one
 * candidate, and no search:
 *   - the runtime is our shared library: ../../bin/photofinish from the library's own directory;
 *   - the runtime is linked into the program: PREFIX/bin/photofinish, where the linker put
 *     /dev/null/PREFIX/lib/photofinish into the program's run path, as pfcc has it do: the dynamic linker
 *     loads nothing from below a device.
 * It is run if the file and every directory above it belong to root or to the program's user, and nobody else may
 * write to them. */
#pragma once

#include "runtime/thread.h"

struct helper_path {
    char path[4096 + 32]; /* the helper; or what is wrong: the file or directory, "" if it is none */
    const char *problem;  /* NULL: it may be run */
};

HIDDEN void helper_path_find(struct helper_path *helper);

/* Where the helper is if the runtime is a library of its own; defined there alone (runtime/shared/). False: not
 * known. */
__attribute__((weak)) HIDDEN bool helper_path_of_library(char *path, size_t room);
