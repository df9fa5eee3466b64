/* The same, ordered. */
#define ORDERED
#include "libc_sorted_race.c"
