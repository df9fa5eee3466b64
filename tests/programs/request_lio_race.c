/* The write comes after what orders. */
#define LATE
#include "request_lio_norace.c"
