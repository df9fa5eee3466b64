/* The write comes after what orders. */
#define LATE
#include "fd_flock_norace.c"
