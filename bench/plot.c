#include "plot.h"

#include <math.h>

/* One panel's frame, and where the panels stand. */
enum { LEFT = 62, TOP = 74, WIDTH = 250, HEIGHT = 260, GAP = 30, BOTTOM = 56, RIGHT = 20 };

static const double *values(const struct plot *p, size_t panel, size_t series)
{
    return p->y[panel][series];
}

/* --- scales --- */

struct scale {
    int low, high; /* steps of the axis */
};

/* The steps around all values. */
static struct scale scale_of(const struct plot *p)
{
    struct scale scale = {0, 0};
    double least = INFINITY, most = -INFINITY;
    for (size_t panel = 0; panel < p->panels; panel++)
        for (size_t s = 0; s < p->series; s++)
            for (size_t i = 0; i < p->points; i++) { /* fmin and fmax ignore NaN */
                least = fmin(least, values(p, panel, s)[i]);
                most = fmax(most, values(p, panel, s)[i]);
            }
    while (svg_step(scale.low) > least)
        scale.low--;
    while (svg_step(scale.low + 1) <= least)
        scale.low++;
    for (scale.high = scale.low + 1; svg_step(scale.high) < most;)
        scale.high++;
    return scale;
}

static double x_at(const struct plot *p, size_t panel, size_t point)
{
    double left = LEFT + (double)panel * (WIDTH + GAP), steps = p->points > 1 ? (double)p->points - 1 : 1;
    return left + 10 + (double)point * (WIDTH - 20) / steps;
}

static double y_at(struct scale scale, double value)
{
    double low = log(svg_step(scale.low)), high = log(svg_step(scale.high));
    return TOP + HEIGHT - (log(value) - low) / (high - low) * HEIGHT;
}

/* --- parts --- */

/* A different shape for each colour, so that the plot also works without. */
static void put_marker(FILE *svg, enum colour colour, double x, double y)
{
    unsigned c = colour;
    switch (colour) {
    case GREY:
        fprintf(svg, "<circle class=\"m%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n", c, x, y);
        break;
    case VERMILION:
        fprintf(svg, "<rect class=\"m%u\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"/>\n", c, x - 3.5,
                y - 3.5);
        break;
    case OCHRE:
        fprintf(svg, "<path class=\"m%u\" d=\"M%.1f %.1fl4.5 8h-9z\"/>\n", c, x, y - 5);
        break;
    case BLUE:
        fprintf(svg, "<circle class=\"m%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", c, x, y);
        break;
    case GREEN:
        fprintf(svg, "<path class=\"m%u\" d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\"/>\n", c, x, y - 5);
        break;
    case INDIGO:
        fprintf(svg, "<path class=\"m%u\" d=\"M%.1f %.1fl4.5 -8h-9z\"/>\n", c, x, y + 5);
        break;
    default:
        fprintf(svg, "<path class=\"line s%u\" d=\"M%.1f %.1fl8 8m0 -8l-8 8\"/>\n", c, x - 4, y - 4);
    }
}

static void open_line(const struct plot *p, size_t series, FILE *svg)
{
    fprintf(svg, "<path class=\"line s%u%s\" d=\"", (unsigned)p->colour[series],
            series == 0 && p->first_is_base ? " dashed" : "");
}

static void put_legend(const struct plot *p, FILE *svg)
{
    double x = LEFT + 10, y = 26;
    for (size_t s = 0; s < p->series; s++) {
        open_line(p, s, svg);
        fprintf(svg, "M%.1f %.1fh28\"/>\n", x, y);
        put_marker(svg, p->colour[s], x + 14, y);
        svg_text(svg, NULL, "start", x + 34, y + 4, p->name[s]);
        x += 34 + svg_text_width(p->name[s]) + 12;
    }
}

static void put_grid(const struct plot *p, size_t panel, struct scale scale, FILE *svg)
{
    double left = LEFT + (double)panel * (WIDTH + GAP);
    char text[24];
    for (int step = scale.low; step <= scale.high; step++) {
        double y = y_at(scale, svg_step(step));
        svg_rule(svg, step % 3 == 0 ? "grid" : "fine", left, y, left + WIDTH, y);
        snprintf(text, sizeof text, "%g", svg_step(step));
        if (panel == 0)
            svg_text(svg, NULL, "end", left - 8, y + 4, text);
    }
    for (size_t i = 0; i < p->points; i++) {
        double x = x_at(p, panel, i);
        snprintf(text, sizeof text, "%u", p->x[i]);
        svg_rule(svg, "grid", x, TOP, x, TOP + HEIGHT);
        svg_text(svg, NULL, "middle", x, TOP + HEIGHT + 18, p->x_text[i] != NULL ? p->x_text[i] : text);
    }
    fprintf(svg, "<rect class=\"frame\" x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", left, TOP, WIDTH,
            HEIGHT);
    svg_text(svg, "title", "middle", left + WIDTH / 2.0, TOP - 12, p->panel[panel]);
    svg_text(svg, NULL, "middle", left + WIDTH / 2.0, TOP + HEIGHT + 40, p->x_label);
}

/* A point that is not there interrupts the line. */
static void put_series(const struct plot *p, size_t panel, size_t series, struct scale scale, FILE *svg)
{
    const double *value = values(p, panel, series);
    bool drawing = false;
    open_line(p, series, svg);
    for (size_t i = 0; i < p->points; i++) {
        if (!isnan(value[i]))
            fprintf(svg, "%c%.1f %.1f", drawing ? 'L' : 'M', x_at(p, panel, i), y_at(scale, value[i]));
        drawing = !isnan(value[i]);
    }
    fputs("\"/>\n", svg);
    for (size_t i = 0; i < p->points; i++)
        if (!isnan(value[i]))
            put_marker(svg, p->colour[series], x_at(p, panel, i), y_at(scale, value[i]));
}

static double legend_width(const struct plot *p)
{
    double width = LEFT + 10;
    for (size_t s = 0; s < p->series; s++)
        width += 46 + svg_text_width(p->name[s]);
    return width;
}

void plot_write(const struct plot *p, FILE *svg)
{
    struct scale scale = scale_of(p);
    double width = LEFT + (double)p->panels * (WIDTH + GAP) - GAP + RIGHT;
    svg_open(svg, fmax(width, legend_width(p)), TOP + HEIGHT + BOTTOM);
    put_legend(p, svg);
    svg_text_up(svg, NULL, "middle", 18, TOP + HEIGHT / 2.0, p->y_label);
    for (size_t panel = 0; panel < p->panels; panel++) {
        put_grid(p, panel, scale, svg);
        for (size_t s = 0; s < p->series; s++)
            put_series(p, panel, s, scale, svg);
    }
    svg_close(svg);
}
