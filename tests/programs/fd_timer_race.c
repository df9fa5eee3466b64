/* The write comes after what orders. */
#define LATE
#include "fd_timer_norace.c"
