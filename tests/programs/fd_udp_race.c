/* The write comes after what orders. */
#define LATE
#include "fd_udp_norace.c"
