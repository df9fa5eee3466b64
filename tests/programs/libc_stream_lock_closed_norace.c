/* The same, ordered. */
#define ORDERED
#include "libc_stream_lock_closed_race.c"
