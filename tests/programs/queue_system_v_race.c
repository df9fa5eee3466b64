/* The write comes after what orders. */
#define LATE
#include "queue_system_v_norace.c"
