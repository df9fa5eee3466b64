/* The write comes after what orders. */
#define LATE
#include "request_fsync_norace.c"
