/* The same, ordered. */
#define ORDERED
#include "libc_tree_race.c"
