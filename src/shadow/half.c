#include "shadow/half.h"

uint32_t half_bits = NARROW_CLOCK_BITS;
