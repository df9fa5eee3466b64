/* What is wrong with an input, and where: filled in by whoever finds it, printed once by the command. */
#pragma once

#include "base/base.h"

struct problem {
    uint64_t line; /* 1-based line of a text, event number in a binary trace; 0 where no place applies */
    char reason[240];
};

/* Fills in the problem and returns false, so that a failing function can end with `return problem_set(...)`.
 * Bytes that a terminal might act upon are replaced; an over-long reason is cut. */
bool problem_set(struct problem *problem, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));
