/* The write comes after what orders. */
#define LATE
#include "signal_fd_norace.c"
