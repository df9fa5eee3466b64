/* The same, ordered. */
#define ORDERED
#include "libc_scanned_number_race.c"
