/* The write comes after what orders. */
#define LATE
#include "fd_lock_ofd_norace.c"
