/* What the charts share: an SVG page that brings its own background and follows the page's colour scheme,
 * with a class of line (.s0, .s1 ...) and of area (.m0, .m1 ...) for each colour. */
#pragma once

#include <stdio.h>

#include "base/base.h"

enum colour { GREY, VERMILION, OCHRE, BLUE, GREEN, PURPLE, BLACK, INDIGO, COLOURS };

enum { MOST_SERIES = COLOURS };

void svg_open(FILE *svg, double width, double height);
void svg_close(FILE *svg);

/* class: "grid", "fine", "frame" or "line sN" */
void svg_rule(FILE *svg, const char *class, double x1, double y1, double x2, double y2);
/* class may be NULL; anchor: "start", "middle" or "end" */
void svg_text(FILE *svg, const char *class, const char *anchor, double x, double y, const char *text);
/* Reads upwards. */
void svg_text_up(FILE *svg, const char *class, const char *anchor, double x, double y, const char *text);

/* The steps of a log axis: ... 0.5 1 2 5 10 20 ...; step 0 is 1, and a multiple of three a power of ten. */
double svg_step(int number);

/* Text is some 7 pixels a letter wide. */
double svg_text_width(const char *text);
