/* The write comes after what orders. */
#define LATE
#include "fd_lock_file_norace.c"
