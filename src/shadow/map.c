#include "shadow/map.h"

#include "base/arena.h"

read_mostly uintptr_t shadow_base;
extern const uintptr_t __pf_shadow __attribute__((alias("shadow_base")));
read_mostly uintptr_t freed_base;
read_mostly uintptr_t shadow_mask = ((UINT64_C(1) << (SHADOW_WINDOW_BITS + 1)) - 1) & ~UINT64_C(7);

bool shadow_map_init(void)
{
    const size_t size = (size_t)1 << (SHADOW_WINDOW_BITS + 1);
    enum { HUGE_PAGE = 2 << 20 }; /* shadow/chunks.c asks for some */
    if (shadow_base == 0) {
        uintptr_t room = (uintptr_t)arena_sparse(size + size / 4 + HUGE_PAGE, false);
        shadow_base = (room + HUGE_PAGE - 1) & -(uintptr_t)HUGE_PAGE;
        freed_base = shadow_base + size;
    }
    return shadow_base != 0;
}
