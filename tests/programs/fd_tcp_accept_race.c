/* The write comes after what orders. */
#define LATE
#include "fd_tcp_accept_norace.c"
