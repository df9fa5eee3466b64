/* The write comes after what orders. */
#define LATE
#include "fd_poll_norace.c"
