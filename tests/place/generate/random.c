#include "random.h"

#include <stdlib.h>

static uint64_t state;

void random_begin(uint64_t seed)
{
    state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static uint64_t next(void)
{
    uint64_t x = state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

int below(int limit)
{
    return (int)(next() % (uint64_t)limit);
}

int between(int from, int to)
{
    return from + below(to - from + 1);
}

bool chance(int percent)
{
    return below(100) < percent;
}

int one_of(uint32_t mask)
{
    int skip = below(__builtin_popcount(mask));
    while (skip-- > 0)
        mask &= mask - 1;
    return __builtin_ctz(mask);
}

const char *say(const char *format, ...)
{
    va_list arguments;
    char *text;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    va_end(arguments);
    return text;
}
