/* What a file takes from others, and what it has itself: the names in its symbol tables. False, too, if it cannot be read.
 * Files are read once. */
#pragma once

#include "base/base.h"

/* Does the program's or library's file need a symbol whose name contains one of the words, which blanks separate? */
bool file_imports(const char *path, const char *words);

/* Does it define the symbol of this name, be it for itself alone? A file that was stripped only tells of those that other
 * files can use. */
bool file_defines(const char *path, const char *name);

/* Does it need a symbol that the library's file defines for others, and whose name contains one of the words? */
bool file_calls(const char *path, const char *library, const char *words);
