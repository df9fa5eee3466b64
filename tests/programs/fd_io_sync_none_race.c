/* environment: TSAN_OPTIONS=io_sync=0 */
/* With io_sync=0 a pipe orders nothing. */
#include "fd_pipe_norace.c"
