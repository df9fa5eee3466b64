/* The same through a UNIX socket with a name. */
#define BY_NAME
#include "fd_outside_asked_norace.c"
