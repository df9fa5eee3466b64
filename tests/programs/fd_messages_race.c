/* The write comes after what orders. */
#define LATE
#include "fd_messages_norace.c"
