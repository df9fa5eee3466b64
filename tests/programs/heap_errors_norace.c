/* Arguments and errors of the allocation functions, as the C library has them; and free leaves errno alone. */
/* build: -fno-builtin */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile size_t huge = SIZE_MAX / 2 - 100, many = (size_t)1 << 33;

#define MUST(c)                                                                                              \
    do {                                                                                                     \
        if (!(c)) {                                                                                          \
            printf("%d: %s\n", __LINE__, #c);                                                                \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

static void *volatile result; /* what nobody looks at need not be allocated */

#define FAILS(call) (errno = 0, result = (call), result == NULL && errno == ENOMEM)

int main(void)
{
    void *block = main, *unchanged = main;
    MUST(FAILS(malloc(huge)));
    MUST(FAILS(calloc(many, many)));
    MUST(FAILS(calloc(1, huge)));
    MUST(FAILS(realloc(NULL, huge)));
    MUST(FAILS(reallocarray(NULL, many, many)));
    MUST(FAILS(memalign(64, huge)));
    MUST(FAILS(aligned_alloc(64, huge)));
    errno = 7;
    MUST(posix_memalign(&block, 3, 8) == EINVAL && block == unchanged && errno == 7);
    MUST(posix_memalign(&block, 4, 8) == EINVAL && block == unchanged);
    MUST(posix_memalign(&block, 0, 8) == EINVAL && block == unchanged);
    MUST(posix_memalign(&block, 64, huge) == ENOMEM && block == unchanged);
    MUST(posix_memalign(&block, 4096, 8) == 0 && (uintptr_t)block % 4096 == 0);
    free(block);
    MUST((uintptr_t)(block = aligned_alloc(256, 512)) % 256 == 0);
    free(block);
    MUST((uintptr_t)(block = valloc(10)) % 4096 == 0);
    free(block);
    MUST((uintptr_t)(block = pvalloc(10)) % 4096 == 0 && malloc_usable_size(block) >= 4096);
    errno = 5;
    free(block);
    free(NULL);
    MUST(errno == 5);
    MUST((result = malloc(0)) != NULL);
    free(result);
    char *zeros = malloc(1000);
    memset(zeros, 1, 1000);
    free(zeros);
    MUST((zeros = calloc(10, 100)) != NULL);
    for (int i = 0; i < 1000; i++)
        MUST(zeros[i] == 0);
    free(zeros);
    return 0;
}
