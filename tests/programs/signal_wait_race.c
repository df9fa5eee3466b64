/* The write comes after what orders. */
#define LATE
#include "signal_wait_norace.c"
