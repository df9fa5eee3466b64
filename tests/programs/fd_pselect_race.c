/* The write comes after what orders. */
#define LATE
#include "fd_pselect_norace.c"
