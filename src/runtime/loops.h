/* What the compiler tells the checks of whole loops (src/place/emit.cpp). */
#pragma once

#include "base/base.h"

/* Neighbouring fields that are accessed together: one element. */
struct fields {
    uint32_t count, size; /* of all of them */
    struct field {
        uint32_t offset, size;
        uintptr_t pc; /* an instruction of the line that accesses it */
    } field[];
};
