/* The write comes after what orders. */
#define LATE
#include "stream_lines_norace.c"
