/* A plot of a few panels side by side as SVG: numbers of threads on a log2 axis, times on a log axis.
 * Readable on light and dark pages: it brings its own background and follows the page's colour scheme. */
#pragma once

#include <stdio.h>

#include "base/base.h"

enum { MOST_POINTS = 16, MOST_SERIES = 8, MOST_PANELS = 4 };

struct plot {
    const char *y_label;
    size_t panels, series, points;
    const char *panel[MOST_PANELS];
    const char *name[MOST_SERIES];
    unsigned x[MOST_POINTS]; /* powers of two, ascending */
    double y[MOST_PANELS][MOST_SERIES][MOST_POINTS];
};

void plot_write(const struct plot *plot, FILE *svg);
