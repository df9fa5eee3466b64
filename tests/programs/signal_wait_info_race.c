/* The write comes after what orders. */
#define LATE
#include "signal_wait_info_norace.c"
