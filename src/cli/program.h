/* The file of the program that is run. */
#pragma once

#include "base/base.h"

/* The file that execvp() finds for this name, to be freed; NULL: none. */
char *program_file(const char *name);

/* May a library be preloaded into what the file starts? A script's interpreter is taken for one that it may. Another
 * dynamic linker than glibc's for x86-64 would complain about the library, or load another C library with it; and the
 * runtime of another race detector would call ours as if it were the C library. */
bool program_takes_library(const char *file);
