#include "shadow/map.h"

#include "base/sys.h"

uintptr_t shadow_base;
uintptr_t shadow_mask = ((UINT64_C(1) << (SHADOW_WINDOW_BITS + 1)) - 1) & ~UINT64_C(7);

bool shadow_map_init(void)
{
    if (shadow_base == 0)
        shadow_base = (uintptr_t)sys_map(NULL, (size_t)1 << (SHADOW_WINDOW_BITS + 1), PROT_READ | PROT_WRITE,
                                         MAP_NORESERVE);
    return shadow_base != 0;
}
