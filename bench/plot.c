#include "plot.h"

#include <math.h>

/* One panel's frame, and where the panels stand. */
enum { LEFT = 62, TOP = 74, WIDTH = 250, HEIGHT = 260, GAP = 30, BOTTOM = 56, RIGHT = 20 };

/* Colours that people with colour-blindness can tell apart (Okabe and Ito), on light and on dark. */
static const struct {
    const char *light, *dark;
} colours[MOST_SERIES] = {
    {"#767676", "#9a9a9a"}, {"#d55e00", "#ff8a3d"}, {"#b07d00", "#e8b021"}, {"#0072b2", "#4db2f0"},
    {"#007a5a", "#2fc79a"}, {"#b0508c", "#e592c4"}, {"#444444", "#cccccc"}, {"#3b49a0", "#8f9df0"},
};

static const double *values(const struct plot *p, size_t panel, size_t series)
{
    return p->y[panel][series];
}

/* --- scales --- */

struct scale {
    int low, high; /* decades */
};

static struct scale decades(const struct plot *p)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t panel = 0; panel < p->panels; panel++)
        for (size_t s = 0; s < p->series; s++)
            for (size_t i = 0; i < p->points; i++) {
                least = fmin(least, values(p, panel, s)[i]);
                most = fmax(most, values(p, panel, s)[i]);
            }
    return (struct scale){(int)floor(log10(least)), (int)ceil(log10(most))};
}

static double x_at(const struct plot *p, size_t panel, size_t point)
{
    double left = LEFT + (double)panel * (WIDTH + GAP), steps = p->points > 1 ? (double)p->points - 1 : 1;
    return left + 10 + (double)point * (WIDTH - 20) / steps;
}

static double y_at(struct scale scale, double value)
{
    return TOP + HEIGHT - (log10(value) - scale.low) / (scale.high - scale.low) * HEIGHT;
}

/* --- parts --- */

static void put_style(const struct plot *p, FILE *svg)
{
    fputs(
        "<style>\n"
        "text { font: 12px system-ui, sans-serif; fill: #222 } .title { font-weight: 600; font-size: 13px }\n"
        ".page { fill: #fff } .frame { fill: none; stroke: #888 } .grid { stroke: #e3e3e3 }\n"
        ".fine { stroke: #f1f1f1 } .line { fill: none; stroke-width: 2; stroke-linejoin: round }\n",
        svg);
    for (size_t s = 0; s < p->series; s++)
        fprintf(svg, ".s%zu { stroke: %s } .m%zu { fill: %s }\n", s, colours[s].light, s, colours[s].light);
    fputs(".s0 { stroke-dasharray: 5 4 }\n@media (prefers-color-scheme: dark) {\n"
          "text { fill: #ddd } .page { fill: #14171c } .frame { stroke: #777 } .grid { stroke: #333a44 }\n"
          ".fine { stroke: #22272f }\n",
          svg);
    for (size_t s = 0; s < p->series; s++)
        fprintf(svg, ".s%zu { stroke: %s } .m%zu { fill: %s }\n", s, colours[s].dark, s, colours[s].dark);
    fputs("}\n</style>\n", svg);
}

/* A different shape for each series, so that the plot also works without colour. */
static void put_marker(FILE *svg, size_t series, double x, double y)
{
    switch (series % 6) {
    case 0:
        fprintf(svg, "<circle class=\"m%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n", series, x, y);
        break;
    case 1:
        fprintf(svg, "<rect class=\"m%zu\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"/>\n", series,
                x - 3.5, y - 3.5);
        break;
    case 2:
        fprintf(svg, "<path class=\"m%zu\" d=\"M%.1f %.1fl4.5 8h-9z\"/>\n", series, x, y - 5);
        break;
    case 3:
        fprintf(svg, "<circle class=\"m%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", series, x, y);
        break;
    case 4:
        fprintf(svg, "<path class=\"m%zu\" d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\"/>\n", series, x, y - 5);
        break;
    default:
        fprintf(svg, "<path class=\"line s%zu\" d=\"M%.1f %.1fl8 8m0 -8l-8 8\"/>\n", series, x - 4, y - 4);
    }
}

static void put_legend(const struct plot *p, FILE *svg)
{
    for (size_t s = 0; s < p->series; s++) {
        double x = LEFT + 10 + (double)s * 120, y = 26;
        fprintf(svg, "<path class=\"line s%zu\" d=\"M%.1f %.1fh28\"/>\n", s, x, y);
        put_marker(svg, s, x + 14, y);
        fprintf(svg, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 34, y + 4, p->name[s]);
    }
}

static void put_rule(FILE *svg, const char *class, double x1, double y1, double x2, double y2)
{
    fprintf(svg, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, x1, y1, x2, y2);
}

static void put_grid(const struct plot *p, size_t panel, struct scale scale, FILE *svg)
{
    double left = LEFT + (double)panel * (WIDTH + GAP);
    for (int decade = scale.low; decade <= scale.high; decade++) {
        double unit = pow(10, decade), y = y_at(scale, unit);
        for (int digit = 2; digit < 10 && decade < scale.high; digit++)
            put_rule(svg, "fine", left, y_at(scale, digit * unit), left + WIDTH, y_at(scale, digit * unit));
        put_rule(svg, "grid", left, y, left + WIDTH, y);
        if (panel == 0)
            fprintf(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", left - 8, y + 4,
                    unit);
    }
    for (size_t i = 0; i < p->points; i++) {
        double x = x_at(p, panel, i);
        put_rule(svg, "grid", x, TOP, x, TOP + HEIGHT);
        fprintf(svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%u</text>\n", x, TOP + HEIGHT + 18,
                p->x[i]);
    }
    fprintf(svg, "<rect class=\"frame\" x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", left, TOP, WIDTH,
            HEIGHT);
    fprintf(svg, "<text class=\"title\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            left + WIDTH / 2.0, TOP - 12, p->panel[panel]);
    fprintf(svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">threads</text>\n", left + WIDTH / 2.0,
            TOP + HEIGHT + 40);
}

static void put_series(const struct plot *p, size_t panel, size_t series, struct scale scale, FILE *svg)
{
    const double *value = values(p, panel, series);
    fprintf(svg, "<path class=\"line s%zu\" d=\"", series);
    for (size_t i = 0; i < p->points; i++)
        fprintf(svg, "%c%.1f %.1f", i == 0 ? 'M' : 'L', x_at(p, panel, i), y_at(scale, value[i]));
    fputs("\"/>\n", svg);
    for (size_t i = 0; i < p->points; i++)
        put_marker(svg, series, x_at(p, panel, i), y_at(scale, value[i]));
}

void plot_write(const struct plot *p, FILE *svg)
{
    size_t width = LEFT + p->panels * (WIDTH + GAP) - GAP + RIGHT, height = TOP + HEIGHT + BOTTOM;
    struct scale scale = decades(p);
    fprintf(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %zu %zu\" width=\"%zu\" height=\"%zu\">\n",
        width, height, width, height);
    put_style(p, svg);
    fprintf(svg, "<rect class=\"page\" width=\"%zu\" height=\"%zu\"/>\n", width, height);
    put_legend(p, svg);
    fprintf(svg, "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            TOP + HEIGHT / 2, p->y_label);
    for (size_t panel = 0; panel < p->panels; panel++) {
        put_grid(p, panel, scale, svg);
        for (size_t s = 0; s < p->series; s++)
            put_series(p, panel, s, scale, svg);
    }
    fputs("</svg>\n", svg);
}
