/* What the figures were measured on and with. */
#pragma once

#include "live_build.h"

struct machine {
    char processor[128], kernel[128], gcc[128], clang[128], valgrind[128], date[32];
    unsigned processors;
};

struct machine machine_learn(const struct live_builder *builder);

/* Two lines. */
void machine_print(const struct machine *machine);
