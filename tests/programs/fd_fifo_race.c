/* The write comes after what orders. */
#define LATE
#include "fd_fifo_norace.c"
