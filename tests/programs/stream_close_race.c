/* The write comes after what orders. */
#define LATE
#include "stream_close_norace.c"
