/* For files that both shadows share: what they know under the first one's names. */
#pragma once

#include "shadow/chunks.h"
#include "shadow/gate.h"

HIDDEN void bytes_init(void);   /* shadow/bytes.h */
HIDDEN void uniform_init(void); /* shadow/uniform.h */

static inline bool owner_init(void)
{
    chunks_init();
    bytes_init();
    uniform_init();
    return gate_init();
}
