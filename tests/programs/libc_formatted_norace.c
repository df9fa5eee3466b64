/* The same, ordered. */
#define ORDERED
#include "libc_formatted_race.c"
