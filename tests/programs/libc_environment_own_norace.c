/* The same, ordered. */
#define ORDERED
#include "libc_environment_own_race.c"
