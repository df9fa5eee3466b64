/* The same, ordered. */
#define ORDERED
#include "libc_published_copy_race.c"
