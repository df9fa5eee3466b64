/* The write comes after what orders. */
#define LATE
#include "request_timer_norace.c"
