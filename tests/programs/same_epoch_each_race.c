/* What a thread has accessed in this epoch answers for later accesses of it, and only for those: each of these races
 * is with an access that comes after such a one, of the same bytes in another way, or of their neighbours. */
#include <stdint.h>
#include <stdlib.h>

#include "pair.h"

/* The compiler does not know what `slot` points to, and goes by the type. */
#define READ(type, at)  (void)*(volatile type *)(slot + (at))
#define WRITE(type, at) *(volatile type *)(slot + (at)) = 1

/* An access that does not race, then one that does; what it races with. */
#define CASES(X)                                                                                             \
    X(READ(uint8_t, 0), WRITE(uint8_t, 0), READ(uint8_t, 0))                                                 \
    X(READ(uint16_t, 0), WRITE(uint16_t, 0), READ(uint16_t, 0))                                              \
    X(READ(uint32_t, 0), WRITE(uint32_t, 0), READ(uint32_t, 0))                                              \
    X(READ(uint64_t, 0), WRITE(uint64_t, 0), READ(uint64_t, 0))                                              \
    X(READ(uint8_t, 0), READ(uint8_t, 1), WRITE(uint8_t, 1))                                                 \
    X(WRITE(uint8_t, 2), WRITE(uint8_t, 3), WRITE(uint8_t, 3))                                               \
    X(READ(uint16_t, 0), READ(uint16_t, 2), WRITE(uint16_t, 2))                                              \
    X(WRITE(uint16_t, 0), WRITE(uint16_t, 2), READ(uint16_t, 2))                                             \
    X(READ(uint16_t, 0), READ(uint32_t, 0), WRITE(uint8_t, 3))                                               \
    X(READ(uint32_t, 0), READ(uint64_t, 0), WRITE(uint32_t, 4))                                              \
    X(READ(uint32_t, 4), READ(uint64_t, 0), WRITE(uint32_t, 0))                                              \
    X(WRITE(uint32_t, 0), WRITE(uint64_t, 0), READ(uint32_t, 4))                                             \
    X(WRITE(uint32_t, 4), WRITE(uint64_t, 0), READ(uint32_t, 0))                                             \
    X(READ(uint64_t, 0), READ(uint64_t, 4), WRITE(uint32_t, 8))                                              \
    NOT_ALIGNED(X)

#ifdef __clang__ /* its checks go by the type, too */
#define NOT_ALIGNED(X)
#else
#define NOT_ALIGNED(X)                                                                                       \
    X(READ(uint16_t, 0), READ(uint16_t, 1), WRITE(uint8_t, 2))                                               \
    X(READ(uint32_t, 0), READ(uint32_t, 2), WRITE(uint16_t, 4))                                              \
    X(WRITE(uint32_t, 0), WRITE(uint32_t, 2), READ(uint16_t, 4))                                             \
    X(READ(uint64_t, 0), READ(uint64_t, 2), WRITE(uint8_t, 8))                                               \
    X(WRITE(uint64_t, 0), WRITE(uint64_t, 2), READ(uint8_t, 8))
#endif

#define ONE(a, b, c) +1
enum { SLOTS = CASES(ONE), SIZE = 16 };

/* Of the first half the two accesses come first, of the second half what they race with. */
static char bytes[2 * SLOTS * SIZE] __attribute__((aligned(16)));
static int found[2 * SLOTS];

void pf_on_race(const void *access, unsigned long size, const void *byte);
__attribute__((no_sanitize("thread"))) void pf_on_race(const void *access, unsigned long size, const void *byte)
{
    (void)access, (void)size;
    found[((const char *)byte - bytes) / SIZE] = 1;
}

static char *slots(int from)
{
    char *slot = bytes + from * SIZE;
    __asm__("" : "+r"(slot));
    return slot;
}

#define TWO(a, b, c)                                                                                         \
    a;                                                                                                       \
    b;                                                                                                       \
    slot += SIZE;
#define OTHER(a, b, c)                                                                                       \
    c;                                                                                                       \
    slot += SIZE;

static void *first(void *unused)
{
    char *slot = slots(0);
    CASES(TWO)
    slot = slots(SLOTS);
    CASES(OTHER)
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    char *slot = slots(0);
    CASES(OTHER)
    slot = slots(SLOTS);
    CASES(TWO)
    return unused;
}

int main(void)
{
    pair(first, second);
    for (int i = 0; i < 2 * SLOTS; i++)
        if (!found[i])
            abort();
    return 0;
}
