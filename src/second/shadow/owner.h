/* For files that both shadows share: what they know under the first one's names. */
#pragma once

#include "shadow/chunks.h"
#include "shadow/gate.h"

static inline void owner_init(void)
{
    chunks_init();
    gate_init();
}
