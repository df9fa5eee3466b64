/* Every operation of every width has the result that it should, with every order. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define expect(c)                                                                                            \
    do {                                                                                                     \
        if (!(c)) {                                                                                          \
            fprintf(stderr, "line %d, %zu bytes: %s\n", __LINE__, sizeof(x), #c);                            \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

#define RESULTS(name, type)                                                                                  \
    static void name(int order)                                                                              \
    {                                                                                                        \
        static type x;                                                                                       \
        type top = (type)((type)1 << (sizeof(type) * 8 - 1)), all = (type) ~(type)0;                         \
        __atomic_store_n(&x, 0, __ATOMIC_RELAXED);                                                           \
        expect(__atomic_fetch_sub(&x, 1, order) == 0);                                                       \
        expect(__atomic_fetch_add(&x, 1, order) == all);                                                     \
        expect(__atomic_fetch_or(&x, top | 5, order) == 0);                                                  \
        expect(__atomic_fetch_xor(&x, 4, order) == (top | 5));                                               \
        expect(__atomic_fetch_and(&x, top | 2, order) == (top | 1));                                         \
        expect(__atomic_fetch_nand(&x, top, order) == top);                                                  \
        expect(__atomic_load_n(&x, __ATOMIC_SEQ_CST) == (type)~top);                                         \
        expect(__atomic_exchange_n(&x, top | 3, order) == (type)~top);                                       \
        expect(__atomic_add_fetch(&x, 1, order) == (type)(top + 4));                                         \
        expect(__atomic_sub_fetch(&x, 1, order) == (type)(top + 3));                                         \
        expect(__atomic_nand_fetch(&x, 1, order) == (type) ~(type)1);                                        \
        __atomic_store_n(&x, top | 3, __ATOMIC_SEQ_CST);                                                     \
        type wanted = 7;                                                                                     \
        expect(!__atomic_compare_exchange_n(&x, &wanted, 9, 0, order, __ATOMIC_RELAXED));                    \
        expect(wanted == (top | 3) && __atomic_load_n(&x, __ATOMIC_ACQUIRE) == (top | 3));                   \
        expect(__atomic_compare_exchange_n(&x, &wanted, 9, 0, order, __ATOMIC_ACQUIRE));                     \
        expect(wanted == (top | 3) && __atomic_load_n(&x, __ATOMIC_RELAXED) == 9);                           \
        wanted = 9;                                                                                          \
        while (!__atomic_compare_exchange_n(&x, &wanted, top | 1, 1, order, __ATOMIC_RELAXED))               \
            expect(wanted == 9);                                                                             \
        expect(__atomic_load_n(&x, __ATOMIC_CONSUME) == (top | 1));                                          \
        __atomic_store_n(&x, 11, __ATOMIC_RELEASE);                                                          \
        expect(__atomic_load_n(&x, __ATOMIC_RELAXED) == 11);                                                 \
    }

RESULTS(results_8, uint8_t)
RESULTS(results_16, uint16_t)
RESULTS(results_32, uint32_t)
RESULTS(results_64, uint64_t)

int main(void)
{
    static const int order[] = {__ATOMIC_RELAXED, __ATOMIC_CONSUME, __ATOMIC_ACQUIRE,
                                __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 6; i++) {
            results_8(order[i]);
            results_16(order[i]);
            results_32(order[i]);
            results_64(order[i]);
        }
    return 0;
}
