/* The same, ordered. */
#define ORDERED
#include "libc_stream_closed_race.c"
