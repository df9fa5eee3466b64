/* Working set: SIZE mebibytes in records of a line of the cache, each thread's part walked in an order that
 * looks random; the number of steps is the same whatever the size. For the plots of bench/live --scaling. */
#include "program.h"

enum { STEPS = 1 << 24, PER_MEBIBYTE = (1 << 20) / 64 };

struct record {
    uint64_t visits, sum, number, unused[5];
};

static struct record *record;
static size_t records;

static size_t common_factor(size_t a, size_t b)
{
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The golden part, so that neighbours are far apart; without a common factor, so that all are come by. */
static size_t stride_for(size_t count)
{
    size_t stride = (size_t)(0.6180339887 * (double)count) + 1;
    while (common_factor(stride, count) != 1)
        stride++;
    return stride;
}

static void work(unsigned me)
{
    size_t from = share(records, me), count = share(records, me + 1) - from;
    size_t stride = stride_for(count), at = 0, steps = share(STEPS, me + 1) - share(STEPS, me);
    for (size_t i = 0; i < count; i++)
        record[from + i].number = i;
    for (size_t i = 0; i < steps; i++) {
        struct record *r = &record[from + at];
        r->visits++;
        r->sum += r->number;
        at += stride;
        at -= at >= count ? count : 0;
    }
}

int main(int argc, char **argv)
{
    size_t mebibytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 16;
    program_begin(argc > 2 ? 2 : argc, argv, STEPS);
    records = mebibytes * PER_MEBIBYTE;
    record = program_memory(records, sizeof *record);
    program_run(work);
    uint64_t visits = 0, wrong = 0;
    for (size_t i = 0; i < records; i++) {
        visits += record[i].visits;
        wrong += record[i].sum != record[i].visits * record[i].number;
    }
    return program_end("visits, less those gone wrong", visits - wrong, STEPS);
}
