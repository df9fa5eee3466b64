/* The same, ordered. */
#define ORDERED
#include "libc_localtime_race.c"
