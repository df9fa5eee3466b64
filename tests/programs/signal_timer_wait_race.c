/* The write comes after what orders. */
#define LATE
#include "signal_timer_wait_norace.c"
