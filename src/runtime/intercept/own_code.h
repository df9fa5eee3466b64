/* Which code is the runtime's own. */
#pragma once

#include "shadow/map.h"

#ifdef PF_STATIC
/* Part of the program: the linker marks the section that all of our code is in (runtime/static.ld). */
extern HIDDEN const char __start_pf_text[], __stop_pf_text[];
#define OWN_FIRST __start_pf_text
#define OWN_END   __stop_pf_text
#else
/* A library of its own: its first byte, and its code's end. */
extern HIDDEN const char __ehdr_start[], etext[];
#define OWN_FIRST __ehdr_start
#define OWN_END   etext
#endif

hot_inline bool is_own_code(uintptr_t pc)
{
    return pc - (uintptr_t)OWN_FIRST < (uintptr_t)OWN_END - (uintptr_t)OWN_FIRST;
}
