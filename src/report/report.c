#include "report/report.h"

#include <stdlib.h>

static int by_variable(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

size_t report_racy_variables(const struct report *r)
{
    if (!r->all)
        return r->race_count;
    struct mem mem = {0};
    size_t bytes = r->race_count * sizeof(uint32_t), distinct = 0;
    uint32_t *variable = mem_alloc(&mem, bytes);
    for (size_t i = 0; i < r->race_count; i++)
        variable[i] = r->races[i].variable;
    if (r->race_count > 0)
        qsort(variable, r->race_count, sizeof *variable, by_variable);
    for (size_t i = 0; i < r->race_count; i++)
        distinct += i == 0 || variable[i] != variable[i - 1];
    mem_free(&mem, variable, bytes);
    return distinct;
}
