/* The write comes after what orders. */
#define LATE
#include "signal_order_norace.c"
