/* The write comes after what orders. */
#define LATE
#include "fd_pipe_spliced_norace.c"
