/* The same, ordered. */
#define ORDERED
#include "libc_printed_string_race.c"
