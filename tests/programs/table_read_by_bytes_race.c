/* One thread has just read two bytes of a word; another has read all of it, and that is a race with who then writes
 * the other two. */
#define RACES
#define ROUNDS 0
#include "table_read_by_bytes_norace.c"
