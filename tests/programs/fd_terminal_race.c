/* The write comes after what orders. */
#define LATE
#include "fd_terminal_norace.c"
