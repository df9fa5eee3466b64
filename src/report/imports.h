/* What a file needs from others, and what it defines itself: the names in its symbol tables. All answers are false if it
 * cannot be read, and are remembered. */
#pragma once

#include "base/base.h"

/* Does the program's or library's file need a symbol whose name contains one of the words, which blanks separate? */
bool file_imports(const char *path, const char *words);

/* Does it define a symbol of this name, local ones included? A stripped file has only those that other files can use. */
bool file_defines(const char *path, const char *name);

/* Does it need a symbol that the library's file defines for others, and whose name contains one of the words? */
bool file_calls(const char *path, const char *library, const char *words);
