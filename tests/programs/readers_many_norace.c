/* Many threads read a global in one epoch after the other, more and more of them. The writer has joined them all. */
#define FIRST_JOINED 0
#include "readers_many_race.c"
