/* What realloc() adds to a block was written by who called it. */
#include <stdlib.h>

#define BYTES         8000
#define AT            5000
#define malloc(bytes) realloc(malloc(16), bytes)
#include "heap_published_whole_race.c"
