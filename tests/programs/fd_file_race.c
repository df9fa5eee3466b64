/* The write comes after what orders. */
#define LATE
#include "fd_file_norace.c"
