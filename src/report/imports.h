/* What a file takes from others. */
#pragma once

#include "base/base.h"

/* Does the program's or library's file need a symbol whose name contains one of the words, which blanks separate? False, too,
 * if it cannot be read. Files are read once. */
bool file_imports(const char *path, const char *words);
