/* The write comes after what orders. */
#define LATE
#include "fd_eventfd_norace.c"
