/* The same, ordered. */
#define ORDERED
#include "libc_stat_race.c"
