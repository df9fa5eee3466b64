/* The write comes after what orders. */
#define LATE
#include "fd_epoll_norace.c"
