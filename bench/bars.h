/* A bar chart as SVG: clusters of bars, one bar a series, on a log axis that begins at 1. So a bar's height
 * is how much more something is than what it is compared with, and one that is no more has none. */
#pragma once

#include "svg.h"

enum { MOST_CLUSTERS = 128 };

struct bars {
    const char *title, *y_label;
    size_t clusters, series;
    const char *cluster[MOST_CLUSTERS];
    const char *name[MOST_SERIES];
    enum colour colour[MOST_SERIES];
    double value[MOST_CLUSTERS][MOST_SERIES]; /* NaN: none; `instead` is written in its place */
    const char *instead[MOST_CLUSTERS][MOST_SERIES];
};

void bars_write(const struct bars *bars, FILE *svg);
