/* A loop over a member of packed structures: its steps are 6 bytes, and only every other one begins at a word. Another
 * thread writes the other member. */
#define NO_RACE
#include "loop_packed_race.c"
