/* The write comes after what orders. */
#define LATE
#include "stream_flush_norace.c"
