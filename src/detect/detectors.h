/* The list of detectors, in the order in which users see them. Adding one: its file, and a line here. */
#pragma once

#include "detect/detector.h"

#define DETECTORS(X)                                                                                         \
    X(vc)                                                                                                    \
    X(djit)                                                                                                  \
    X(fasttrack)                                                                                             \
    X(fasttrack2)                                                                                            \
    X(fasttrack2l)                                                                                           \
    X(goldilocks)                                                                                            \
    X(goldilocks_eager)                                                                                      \
    X(eraser)                                                                                                \
    X(oracle)                                                                                                \
    X(nop)

#define X(name) extern const struct detector detector_##name;
DETECTORS(X)
#undef X

/* NULL-terminated. */
extern const struct detector *const detectors[];

const struct detector *detector_named(const char *name);

/* True where there is none of that name. */
bool detector_is_precise(const char *name);

#define DEFAULT_DETECTOR "fasttrack2"
