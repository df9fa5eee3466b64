/* Ranges of memory that cannot be: what the kernel answers to each. The same program without us is the judge. Only ranges
 * in which the program has no memory, or that the kernel refuses. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "../programs/must.h"

#define PAGE      UINT64_C(4096)
#define WINDOW    (UINT64_C(1) << 44)
#define HOLE      (UINT64_C(1) << 47) /* where addresses of programs end */
#define HIGH_HALF (UINT64_C(0xffff800000000000))
#define EMPTY     WINDOW /* the kernel puts nothing there */

/* An address that is one is not the same in two processes. */
#define TRY(name, call)                                                                                      \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        intptr_t result = (intptr_t)(call);                                                                  \
        printf("%s(%#lx, %#lx): %s, %s\n", name, (long)at, (long)size, result == -1 ? "fails" : "works",     \
               strerrorname_np(errno));                                                                      \
        fflush(stdout);                                                                                      \
    } while (0)

static const uint64_t places[] = {0,           1,
                                  PAGE,        EMPTY,
                                  EMPTY + 1,   EMPTY + WINDOW / 2,
                                  HOLE - PAGE, HOLE,
                                  HOLE + PAGE, HIGH_HALF - PAGE,
                                  HIGH_HALF,   -UINT64_C(1),
                                  -PAGE,       -2 * PAGE};
static const uint64_t sizes[] = {0,          1,         PAGE - 1,    PAGE,        WINDOW / 4,      WINDOW,
                                 2 * WINDOW, HOLE,      HOLE - PAGE, HOLE + PAGE, -UINT64_C(1),    -PAGE,
                                 -2 * PAGE,  HIGH_HALF, -HIGH_HALF,  INT64_MAX,   -(uint64_t)EMPTY};

/* Would it work, and take memory of the program's away? */
static int is_harmful(uint64_t at, uint64_t size)
{
    return at < HOLE && size <= HOLE - at && (at < EMPTY || at + size > EMPTY + 2 * WINDOW);
}

/* The same for calls that do what they can before they fail. */
static int is_harmful_in_part(uint64_t at, uint64_t size)
{
    return at < HOLE && at <= UINT64_MAX - size && (at < EMPTY || at + size > EMPTY + 2 * WINDOW);
}

static void each(uint64_t at, uint64_t size, char *own)
{
    void *address = (void *)at;
    if (!is_harmful(at, size)) {
        TRY("munmap", munmap(address, size));
        TRY("mremap, the same", mremap(address, size, size, 0));
        TRY("mremap, a page", mremap(address, size, PAGE, MREMAP_MAYMOVE));
        TRY("mremap, flags", mremap(address, size, PAGE, -1, own));
        TRY("mremap to", mremap(own, PAGE, size, MREMAP_FIXED, address));
        TRY("mmap, no kind", mmap(address, size, PROT_READ, MAP_FIXED | MAP_ANONYMOUS, -1, 0));
        TRY("mmap, no file", mmap(address, size, PROT_READ, MAP_PRIVATE, -1, 0));
    }
    if (!is_harmful_in_part(at, size)) {
        TRY("mprotect", mprotect(address, size, PROT_READ));
        TRY("madvise", madvise(address, size, MADV_DONTNEED));
        TRY("madvise, no advice", madvise(address, size, -1));
        TRY("msync", msync(address, size, MS_SYNC));
        TRY("mlock", mlock(address, size));
    }
    if (at >= HOLE || size > HOLE - at || size == 0 || at % PAGE != 0) /* refused, whatever is there */
        TRY("mmap, fixed", mmap(address, size, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (size > HOLE)
        TRY("mmap, anywhere", mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

int main(void)
{
    char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(own != MAP_FAILED);
    own[1] = 7;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
            each(places[i], sizes[j], own);
    printf("%d\n", own[1]);
    return 0;
}
