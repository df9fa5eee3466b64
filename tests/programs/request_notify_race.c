/* The write comes after what orders. */
#define LATE
#include "request_notify_norace.c"
