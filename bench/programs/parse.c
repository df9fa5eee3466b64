/* Character parsing: each thread writes a text of "name=number;" fields, and parses its neighbour's,
 * character by character. */
#include "program.h"

enum { LONGEST_FIELD = 24 };

static char *text;
static size_t *length;
static uint64_t written, parsed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static char *put_field(char *at, uint32_t number, uint32_t name)
{
    char digits[12];
    unsigned count = 0;
    for (unsigned i = 0; i < 4 + name % 8; i++)
        *at++ = (char)('a' + (name >> i) % 26);
    *at++ = '=';
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0)
        *at++ = digits[--count];
    *at++ = ';';
    return at;
}

static uint64_t write_text(char *from, char *to, size_t *bytes, uint32_t seed)
{
    uint64_t sum = 0;
    char *at = from;
    while (at + LONGEST_FIELD <= to) {
        uint32_t number = random_next(&seed) % 1000000;
        at = put_field(at, number, random_next(&seed));
        sum += number;
    }
    *bytes = (size_t)(at - from);
    return sum;
}

static uint64_t parse(const char *at, const char *end)
{
    uint64_t sum = 0;
    while (at < end) {
        uint32_t number = 0;
        while (*at >= 'a' && *at <= 'z')
            at++;
        if (*at++ != '=')
            exit(1);
        while (*at >= '0' && *at <= '9')
            number = 10 * number + (uint32_t)(*at++ - '0');
        if (*at++ != ';')
            exit(1);
        sum += number;
    }
    return sum;
}

static void work(unsigned me)
{
    unsigned other = (me + 1) % threads;
    uint64_t wrote = write_text(text + share(size, me), text + share(size, me + 1), &length[me], me + 1);
    pthread_barrier_wait(&barrier);
    const char *from = text + share(size, other);
    uint64_t found = 0;
    for (int times = 0; times < 3; times++)
        found += parse(from, from + length[other]);
    pthread_mutex_lock(&lock);
    written += wrote;
    parsed += found;
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 6 << 20);
    text = program_memory(size, 1);
    length = program_memory(threads, sizeof *length);
    pthread_barrier_init(&barrier, NULL, threads);
    program_run(work);
    return program_end("the sum of the numbers", parsed, 3 * written);
}
