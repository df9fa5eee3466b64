/* Four threads count in variables of every width; nothing gets lost. */
#include <stdint.h>
#include <stdlib.h>

#include "threads_together.h"

enum { EACH = 2000 };

static uint8_t a;
static uint16_t b;
static uint32_t c;
static uint64_t d;

THREAD(count)
{
    for (int i = 0; i < EACH; i++) {
        __atomic_fetch_add(&a, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&b, 1, __ATOMIC_ACQ_REL);
        __atomic_fetch_sub(&c, 1, __ATOMIC_SEQ_CST);
        uint64_t old = __atomic_load_n(&d, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&d, &old, old + 3, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
        }
    }
    return NULL;
}

int main(void)
{
    run(count, count, count, count);
    if (a != (uint8_t)(4 * EACH) || b != 4 * EACH || c != (uint32_t) - (4 * EACH) || d != 12 * EACH)
        abort();
    return 0;
}
