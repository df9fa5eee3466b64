/* The same, ordered. */
#define ORDERED
#include "libc_copied_string_race.c"
