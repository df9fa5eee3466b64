#include "support/test_detectors.h"

const struct detector *const test_detectors[] = {
#define X(name) &detector_##name,
    TEST_DETECTORS(X)
#undef X
        NULL,
};
