/* System calls without libc in between: for code inside the program under test, where libc's own functions may
 * be the ones that we intercept. Results are the kernel's: -errno on failure; errno is left alone. */
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/base.h"

hot_inline long sys_call6(long n, long a, long b, long c, long d, long e, long f)
{
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

hot_inline long sys_call3(long n, long a, long b, long c)
{
    return sys_call6(n, a, b, c, 0, 0, 0);
}

/* NULL on failure. A core file leaves out what is so large: it is hardly used, but the kernel would look at each page. */
static inline void *sys_map(void *hint, size_t size, int protection, int flags)
{
    enum { LARGE = 1 << 30 };
    long r =
        sys_call6(SYS_mmap, (long)hint, (long)size, protection, flags | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (r < 0 && r > -4096)
        return NULL;
    if (size >= LARGE)
        sys_call3(SYS_madvise, r, (long)size, MADV_DONTDUMP);
    /* Most of our tables are sparse: where the kernel gives 2 MiB for the first byte, as it does by default on many
     * systems, an idle thread would cost megabytes. */
    sys_call3(SYS_madvise, r, (long)size, MADV_NOHUGEPAGE);
    return (void *)r;
}

static inline long sys_unmap(void *at, size_t size)
{
    return sys_call3(SYS_munmap, (long)at, (long)size, 0);
}

static inline long sys_write(int fd, const void *bytes, size_t size)
{
    return sys_call3(SYS_write, fd, (long)bytes, (long)size);
}

static inline void sys_yield(void)
{
    sys_call3(SYS_sched_yield, 0, 0, 0);
}

static inline _Noreturn void sys_exit_process(int status)
{
    for (;;)
        sys_call3(SYS_exit_group, status, 0, 0);
}
