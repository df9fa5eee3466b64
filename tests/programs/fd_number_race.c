/* The write comes after what orders. */
#define LATE
#include "fd_number_norace.c"
