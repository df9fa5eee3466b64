/* The write comes after what orders. */
#define LATE
#include "fd_ppoll_norace.c"
