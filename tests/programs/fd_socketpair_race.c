/* The write comes after what orders. */
#define LATE
#include "fd_socketpair_norace.c"
