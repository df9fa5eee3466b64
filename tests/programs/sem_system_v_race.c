/* The write comes after what orders. */
#define LATE
#include "sem_system_v_norace.c"
