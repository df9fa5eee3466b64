/* A plot of a few panels side by side as SVG: a few points, evenly spaced, and values on a log axis. */
#pragma once

#include "svg.h"

enum { MOST_POINTS = 16, MOST_PANELS = 4 };

struct plot {
    const char *x_label, *y_label;
    size_t panels, series, points;
    const char *panel[MOST_PANELS];
    const char *name[MOST_SERIES];
    enum colour colour[MOST_SERIES];
    unsigned x[MOST_POINTS];
    const char *x_text[MOST_POINTS];                 /* NULL: the number */
    double y[MOST_PANELS][MOST_SERIES][MOST_POINTS]; /* NaN: none */
    bool first_is_base;                              /* what the others are compared with: dashed */
};

void plot_write(const struct plot *plot, FILE *svg);
