/* Unrolled loops over shorts and over characters, downwards: each place has a part of each word. Another thread writes
 * what comes next to them. */
#define NO_RACE
#include "loop_unrolled_race.c"
