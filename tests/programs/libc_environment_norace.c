/* The same, ordered. */
#define ORDERED
#include "libc_environment_race.c"
