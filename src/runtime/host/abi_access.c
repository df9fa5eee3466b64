/* The compiler's entry points for reads and writes on the generic host: no short cut but the one of
 * host/access.c. */
#include "runtime/access.h"

#define ENTRY     __attribute__((visibility("default")))
#define CALLER_PC ((uintptr_t)__builtin_return_address(0))

#define ACCESS(name, size, kind)                                                                             \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        access_slow(address, size, kind, CALLER_PC);                                                         \
    }

#define BOTH(size)                                                                                           \
    ACCESS(__tsan_read##size, size, PLAIN_READ)                                                              \
    ACCESS(__tsan_write##size, size, PLAIN_WRITE)

#define UNALIGNED(size)                                                                                      \
    ACCESS(__tsan_unaligned_read##size, size, PLAIN_READ)                                                    \
    ACCESS(__tsan_unaligned_write##size, size, PLAIN_WRITE)

BOTH(1)
BOTH(2)
BOTH(4)
BOTH(8)
BOTH(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)
