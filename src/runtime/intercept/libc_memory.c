/* memcpy and its relatives, where the compiler left a call: the bytes that they read and write for the program. Calls
 * from the runtime itself (the compiler makes them of struct copies) are told by where they come from. */
#include <string.h>

#include "runtime/intercept/own_code.h"
#include "runtime/intercept/real.h"

static bool watched(uintptr_t pc, size_t size)
{
    return size > 0 && !is_own_code(pc) && shadow_base != 0 && thread_self != NULL && thread_self->inside == 0;
}

static void copied(void *to, const void *from, size_t size, uintptr_t pc)
{
    if (!watched(pc, size))
        return;
    access_slow((uintptr_t)from, size, PLAIN_READ, pc);
    access_slow((uintptr_t)to, size, PLAIN_WRITE, pc);
}

INTERCEPT void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    copied(to, from, size, CALLER_PC);
    return REAL(memcpy)(to, from, size);
}

INTERCEPT void *memmove(void *to, const void *from, size_t size)
{
    copied(to, from, size, CALLER_PC);
    return REAL(memmove)(to, from, size);
}

INTERCEPT void *memset(void *to, int byte, size_t size)
{
    if (watched(CALLER_PC, size))
        access_slow((uintptr_t)to, size, PLAIN_WRITE, CALLER_PC);
    return REAL(memset)(to, byte, size);
}
