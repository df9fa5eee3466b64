/* The write comes after what orders. */
#define LATE
#include "fd_select_norace.c"
