/* The write comes after what orders. */
#define LATE
#include "fd_unix_messages_norace.c"
