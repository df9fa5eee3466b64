/* Files that are being written under temporary names: none stays behind, however the process ends (but for
 * kill -9). */
#pragma once

#include <stdio.h>

/* The name of a file beside `place`, for writing; to be freed. */
char *unfinished_name(const char *place);
/* Opens it. NULL: errno says why. */
FILE *unfinished_open(const char *name);
/* It has got its own name, or is gone. */
void unfinished_forget(const char *name);
