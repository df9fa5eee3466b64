/* The write comes after what orders. */
#define LATE
#include "fd_pipe_norace.c"
