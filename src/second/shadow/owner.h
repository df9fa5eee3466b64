/* For files that both shadows share: what they know under the first one's names. */
#pragma once

#include "shadow/chunks.h"
#include "shadow/gate.h"

HIDDEN void bytes_init(void); /* shadow/bytes.h */

static inline bool owner_init(void)
{
    chunks_init();
    bytes_init();
    return gate_init();
}
