/* Detectors that only tests run: builds of the real ones with limits so small that every trace meets them. */
#pragma once

#include "detect/detector.h"

#define TEST_DETECTORS(X)                                                                                    \
    X(fasttrack2_tiny)                                                                                       \
    X(goldilocks_tiny)

#define X(name) extern const struct detector detector_##name;
TEST_DETECTORS(X)
#undef X

/* NULL-terminated. */
extern const struct detector *const test_detectors[];
