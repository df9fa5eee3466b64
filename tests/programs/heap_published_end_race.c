/* The end of a large block is written when it is allocated. */
#define BYTES 1000000
#define AT    (BYTES - 1)
#include "heap_published_whole_race.c"
