/* fasttrack2 with 4 narrow slots and clocks up to 7: overflow, sweeps and side records all the time. */
#define NARROW_SLOT_BITS  2
#define NARROW_CLOCK_BITS 3
#define FASTTRACK2_ID     fasttrack2_tiny
#define FASTTRACK2_NAME   "fasttrack2-tiny"
#include "../../src/detect/fasttrack2.c"
