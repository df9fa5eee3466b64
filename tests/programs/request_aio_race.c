/* The write comes after what orders. */
#define LATE
#include "request_aio_norace.c"
