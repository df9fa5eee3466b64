/* The write comes after what orders. */
#define LATE
#include "request_name_norace.c"
