#include "bars.h"

#include <math.h>

enum { LEFT = 66, TOP = 84, HEIGHT = 260, BOTTOM = 40, RIGHT = 16, BAR = 15, GAP = 22, LEGEND_AT = 48 };

/* --- scale --- */

/* The top of the axis: the first step above all values. */
static double top_of(const struct bars *b)
{
    double most = 1;
    int step = 1;
    for (size_t c = 0; c < b->clusters; c++)
        for (size_t s = 0; s < b->series; s++)
            most = fmax(most, b->value[c][s]); /* ignores NaN */
    while (svg_step(step) < most)
        step++;
    return svg_step(step);
}

static double y_at(double top, double value)
{
    return TOP + HEIGHT - log(fmax(value, 1)) / log(top) * HEIGHT;
}

static double cluster_width(const struct bars *b)
{
    return (double)b->series * BAR;
}

/* A cluster is as wide as its bars or its name, whichever is wider. */
static double cluster_step(const struct bars *b)
{
    double widest = cluster_width(b);
    for (size_t c = 0; c < b->clusters; c++)
        widest = fmax(widest, svg_text_width(b->cluster[c]));
    return widest + GAP;
}

/* --- parts --- */

static void put_axis(const struct bars *b, double top, double width, FILE *svg)
{
    char text[16];
    for (int step = 0; svg_step(step) <= top; step++) {
        double y = y_at(top, svg_step(step));
        svg_rule(svg, step % 3 == 0 ? "grid" : "fine", LEFT, y, width - RIGHT, y);
        snprintf(text, sizeof text, "%g×", svg_step(step));
        svg_text(svg, NULL, "end", LEFT - 6, y + 4, text);
    }
    svg_text_up(svg, NULL, "middle", 14, TOP + HEIGHT / 2.0, b->y_label);
}

static void put_legend(const struct bars *b, FILE *svg)
{
    double x = LEFT;
    for (size_t s = 0; s < b->series; s++) {
        fprintf(svg, "<rect class=\"m%u\" x=\"%.1f\" y=\"%d\" width=\"11\" height=\"11\"/>\n",
                (unsigned)b->colour[s], x, LEGEND_AT - 10);
        svg_text(svg, NULL, "start", x + 16, LEGEND_AT, b->name[s]);
        x += 16 + svg_text_width(b->name[s]) + 18;
    }
}

static void put_bar(const struct bars *b, size_t cluster, size_t series, double x, double top, FILE *svg)
{
    double value = b->value[cluster][series], y = isnan(value) ? TOP + HEIGHT : y_at(top, value);
    char text[32];
    if (isnan(value))
        snprintf(text, sizeof text, "%s", b->instead[cluster][series]);
    else
        snprintf(text, sizeof text, value < 9.95 ? "%.1f" : "%.0f", value);
    if (!isnan(value))
        fprintf(svg, "<rect class=\"m%u\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n",
                (unsigned)b->colour[series], x + 1, y, BAR - 2, TOP + HEIGHT - y);
    svg_text_up(svg, "small", "start", x + BAR / 2.0 + 3.5, y - 4, text);
}

static void put_cluster(const struct bars *b, size_t cluster, double step, double top, FILE *svg)
{
    double left = LEFT + step * (double)cluster, bars_left = left + (step - cluster_width(b)) / 2;
    for (size_t s = 0; s < b->series; s++)
        put_bar(b, cluster, s, bars_left + BAR * (double)s, top, svg);
    svg_text(svg, NULL, "middle", left + step / 2, TOP + HEIGHT + 18, b->cluster[cluster]);
}

static double legend_width(const struct bars *b)
{
    double width = LEFT;
    for (size_t s = 0; s < b->series; s++)
        width += 34 + svg_text_width(b->name[s]);
    return width;
}

void bars_write(const struct bars *b, FILE *svg)
{
    double step = cluster_step(b), top = top_of(b);
    double width = fmax(LEFT + step * (double)b->clusters + RIGHT, legend_width(b) + RIGHT);
    svg_open(svg, width, TOP + HEIGHT + BOTTOM);
    svg_text(svg, "title", "start", LEFT, 24, b->title);
    put_legend(b, svg);
    put_axis(b, top, width, svg);
    for (size_t c = 0; c < b->clusters; c++)
        put_cluster(b, c, step, top, svg);
    svg_rule(svg, "frame", LEFT, TOP + HEIGHT, width - RIGHT, TOP + HEIGHT);
    svg_close(svg);
}
