#include "shadow/map.h"

#include "base/atomic.h"
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

static void zero_words(uint64_t *from, uint64_t *to)
{
    for (; from < to; from++)
        store_relaxed(from, 0);
}

enum { PAGE = 4096, GIVE_BACK_FROM = 16 * PAGE };

void shadow_clear(uintptr_t address, size_t size)
{
    if (size == 0)
        return;
    uint64_t *from = shadow_of(address), *to = shadow_of(address + size - 1) + 1;
    if ((uintptr_t)to - (uintptr_t)from < GIVE_BACK_FROM) {
        zero_words(from, to);
        return;
    }
    /* Whole pages go back to the kernel, which returns them zeroed when they are next used. */
    uintptr_t first = ((uintptr_t)from + PAGE - 1) & -(uintptr_t)PAGE, last = (uintptr_t)to & -(uintptr_t)PAGE;
    zero_words(from, (uint64_t *)first);
    sys_call3(SYS_madvise, (long)first, (long)(last - first), MADV_DONTNEED);
    zero_words((uint64_t *)last, to);
}
