/* The write comes after what orders. */
#define LATE
#include "fd_tcp_norace.c"
