/* The write comes after what orders. */
#define LATE
#include "queue_posix_norace.c"
