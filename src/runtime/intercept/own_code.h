/* Which code is the runtime's own. */
#pragma once

#include "shadow/map.h"

/* The first byte of the library that it is, and its code's end. In the archive, which becomes part of the program,
 * these are the ends of the section that all of our code is in (tools/make_archive). */
extern HIDDEN const char __ehdr_start[], etext[];

hot_inline bool is_own_code(uintptr_t pc)
{
    return pc - (uintptr_t)__ehdr_start < (uintptr_t)etext - (uintptr_t)__ehdr_start;
}
