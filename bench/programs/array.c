/* Array kernel: a := b + 3c over slices, a barrier after each pass. Each thread stays in its slice. */
#include "program.h"

enum { ELEMENTS = 1 << 18 };

static double *a, *b, *c;
static size_t passes;
static pthread_barrier_t barrier;

static void work(unsigned me)
{
    size_t from = share(ELEMENTS, me), to = share(ELEMENTS, me + 1);
    for (size_t i = from; i < to; i++) {
        b[i] = (double)(i % 1000);
        c[i] = 1;
    }
    for (size_t pass = 0; pass < passes; pass++) {
        for (size_t i = from; i < to; i++)
            a[i] = b[i] + 3 * c[i];
        pthread_barrier_wait(&barrier);
        for (size_t i = from; i < to; i++)
            b[i] = a[i] - 2 * c[i];
        pthread_barrier_wait(&barrier);
    }
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 24);
    passes = size;
    a = program_memory(ELEMENTS, sizeof *a);
    b = program_memory(ELEMENTS, sizeof *b);
    c = program_memory(ELEMENTS, sizeof *c);
    pthread_barrier_init(&barrier, NULL, threads);
    program_run(work);
    uint64_t right = 0;
    for (size_t i = 0; i < ELEMENTS; i++)
        right += b[i] == (double)(i % 1000 + passes);
    return program_end("elements that are right", right, ELEMENTS);
}
