/* The write comes after what orders. */
#define LATE
#include "stream_characters_norace.c"
