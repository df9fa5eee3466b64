/* Draws programs by seed: a structure under a regime with parameters (bench/population/README.md). A program is a
 * list of definitions and three includes, so that what is compiled is plain C in bench/population. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "measure.h"

static const char *const structures[] = {"array",   "loop",   "grid",  "tree",   "chains",
                                         "strings", "values", "pages", "pixels", "octree"};
static const char *const regimes[] = {"private", "barrier", "rounds",   "readonly", "locked",
                                      "rwlock",  "spin",    "handover", "server",   "publish"};
static const char *const elements[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t", "float", "double"};
static const unsigned thread_numbers[] = {2, 2, 3, 4, 4, 4, 6, 8, 8, 16, 32, 64};
static const unsigned strides[] = {1, 1, 1, 2, 3, 7};

/* Private accesses as quarters of those to what is shared. Most of them repeat within an epoch, so that 0 to 90 % of
 * a program's accesses do. */
static const unsigned private_quarters[] = {0, 1, 2, 4, 8, 16};

struct drawn {
    unsigned structure, regime, element, threads, length, operations, writes, private_work, stride, shuffled;
    size_t bytes;
};

/* splitmix64: any seed is as good as another. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static unsigned below(uint64_t *state, size_t limit)
{
    return (unsigned)(next(state) % limit);
}

/* From low to 2^bits times as much, evenly on a logarithmic scale. */
static size_t scale(uint64_t *state, size_t low, unsigned bits)
{
    unsigned shift = below(state, bits);
    size_t value = low << shift;
    return value + next(state) % value;
}

static struct drawn draw(uint64_t seed)
{
    uint64_t state = seed;
    struct drawn d;
    next(&state);
    d.structure = below(&state, array_length(structures));
    d.regime = below(&state, array_length(regimes));
    d.element = below(&state, array_length(elements));
    d.threads = thread_numbers[below(&state, array_length(thread_numbers))];
    d.bytes = scale(&state, 4096, 16);
    d.length = (unsigned)scale(&state, 1, 17);
    d.operations = (unsigned)scale(&state, 1, 7);
    d.writes = 1 + below(&state, 12);
    d.private_work = d.length * private_quarters[below(&state, array_length(private_quarters))] / 4;
    d.stride = strides[below(&state, array_length(strides))];
    d.shuffled = below(&state, 2);
    return d;
}

static FILE *create(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    if (file == NULL)
        tool_failed("bench: cannot write %s: %s", path, strerror(errno));
    return file;
}

static void finish(FILE *file)
{
    if (fclose(file) != 0)
        tool_failed("bench: cannot write a program: %s", strerror(errno));
}

static void write_program(const char *out, const char *headers, const char *name, const struct drawn *d)
{
    char file_name[64];
    snprintf(file_name, sizeof file_name, "%s.c", name);
    FILE *file = create(out, file_name);
    fprintf(file, "#define THREADS %u\n#define BYTES %zu\n#define LENGTH %u\n#define OPERATIONS %u\n",
            d->threads, d->bytes, d->length, d->operations);
    fprintf(
        file,
        "#define WRITES %u\n#define PRIVATE %u\n#define ELEMENT %s\n#define STRIDE %u\n#define SHUFFLED %u\n",
        d->writes, d->private_work, elements[d->element], d->stride, d->shuffled);
    fprintf(file, "#include \"%s/thing.h\"\n#include \"%s/structure_%s.h\"\n", headers, headers,
            structures[d->structure]);
    fprintf(file, "#include \"%s/regime.h\"\n#include \"%s/regime_%s.h\"\n", headers, headers,
            regimes[d->regime]);
    finish(file);
}

int bench_population(const char *out, int count, char **arguments)
{
    enum { VALGRIND_SIZE = 1 << 18 };
    if (count != 3)
        tool_failed("bench: population needs the folder of the headers, the first seed and how many");
    uint64_t first = strtoull(arguments[1], NULL, 10), many = strtoull(arguments[2], NULL, 10);
    FILE *list = create(out, "list");
    for (uint64_t seed = first; seed < first + many; seed++) {
        struct drawn d = draw(seed);
        char name[32];
        snprintf(name, sizeof name, "%s-%llu", structures[d.structure], (unsigned long long)seed);
        write_program(out, arguments[0], name, &d);
        fprintf(list, "%s %s %d # %u threads, %zu bytes, %u accesses x %u\n", name, regimes[d.regime],
                VALGRIND_SIZE, d.threads, d.bytes, d.length, d.operations);
    }
    finish(list);
    return 0;
}
