/* The same, ordered. */
#define ORDERED
#include "libc_line_race.c"
