/* A progress bar on stderr: only on a terminal, only for work that takes over a second, gone at its end. */
#pragma once

#include "base/base.h"

struct progress {
    const char *what;
    bool enabled, shown;
    uint64_t started, last; /* milliseconds */
    unsigned calls;
};

void progress_start(struct progress *progress, const char *what);

/* done of total bytes (0: unknown), and how many events that was. Cheap enough to call for every batch. */
void progress_update(struct progress *progress, uint64_t done, uint64_t total, uint64_t events);
void progress_end(struct progress *progress);
