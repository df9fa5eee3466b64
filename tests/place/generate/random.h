/* Random choices and pieces of text. One stream for the whole process: a seed makes one program. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

void random_begin(uint64_t seed);

/* 0 to limit - 1; the limit is above 0. */
int below(int limit);
/* `from` to `to`, both included. */
int between(int from, int to);
/* In so many of a hundred cases. */
bool chance(int percent);
/* Bit numbers: one of the bits of the mask, which is not 0. */
int one_of(uint32_t mask);

/* Text of its own. Never freed: a program is some thousand of them, and the process is short. */
const char *say(const char *format, ...) __attribute__((format(printf, 1, 2)));
