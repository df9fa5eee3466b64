/* The same, ordered. */
#define ORDERED
#include "libc_strtok_race.c"
