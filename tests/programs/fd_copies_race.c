/* The write comes after what orders. */
#define LATE
#include "fd_copies_norace.c"
