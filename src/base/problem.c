#include "base/problem.h"

#include <stdarg.h>
#include <stdio.h>

bool problem_set(struct problem *problem, uint64_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(problem->reason, sizeof problem->reason, format, args);
    va_end(args);
    problem->line = line;
    for (char *c = problem->reason; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    return false;
}
