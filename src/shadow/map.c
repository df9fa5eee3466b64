#include "shadow/map.h"

#include "base/sys.h"

uintptr_t shadow_base;
uintptr_t freed_base;
uintptr_t shadow_mask = ((UINT64_C(1) << (SHADOW_WINDOW_BITS + 1)) - 1) & ~UINT64_C(7);

bool shadow_map_init(void)
{
    const size_t size = (size_t)1 << (SHADOW_WINDOW_BITS + 1);
    if (shadow_base == 0) {
        shadow_base = (uintptr_t)sys_map(NULL, size + size / 4, PROT_READ | PROT_WRITE, MAP_NORESERVE);
        freed_base = shadow_base + size;
    }
    return shadow_base != 0;
}
