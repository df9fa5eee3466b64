#include "svg.h"

#include <math.h>
#include <string.h>

/* Colours that people with colour-blindness can tell apart (Okabe and Ito), on light and on dark. */
static const struct {
    const char *light, *dark;
} colours[COLOURS] = {
    [GREY] = {"#767676", "#9a9a9a"},  [VERMILION] = {"#d55e00", "#ff8a3d"}, [OCHRE] = {"#b07d00", "#e8b021"},
    [BLUE] = {"#0072b2", "#4db2f0"},  [GREEN] = {"#007a5a", "#2fc79a"},     [PURPLE] = {"#b0508c", "#e592c4"},
    [BLACK] = {"#444444", "#cccccc"}, [INDIGO] = {"#3b49a0", "#8f9df0"},
};

static void put_style(FILE *svg)
{
    fputs(
        "<style>\n"
        "text { font: 12px system-ui, sans-serif; fill: #222 } .title { font-weight: 600; font-size: 13px }\n"
        ".small { font-size: 10px } .page { fill: #fff } .frame { fill: none; stroke: #888 }\n"
        ".grid { stroke: #e3e3e3 } .fine { stroke: #f1f1f1 }\n"
        ".line { fill: none; stroke-width: 2; stroke-linejoin: round } .dashed { stroke-dasharray: 5 4 }\n",
        svg);
    for (unsigned c = 0; c < COLOURS; c++)
        fprintf(svg, ".s%u { stroke: %s } .m%u { fill: %s }\n", c, colours[c].light, c, colours[c].light);
    fputs("@media (prefers-color-scheme: dark) {\n"
          "text { fill: #ddd } .page { fill: #14171c } .frame { stroke: #777 } .grid { stroke: #333a44 }\n"
          ".fine { stroke: #22272f }\n",
          svg);
    for (unsigned c = 0; c < COLOURS; c++)
        fprintf(svg, ".s%u { stroke: %s } .m%u { fill: %s }\n", c, colours[c].dark, c, colours[c].dark);
    fputs("}\n</style>\n", svg);
}

void svg_open(FILE *svg, double width, double height)
{
    fprintf(svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\">\n",
            width, height, width, height);
    put_style(svg);
    fprintf(svg, "<rect class=\"page\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
}

void svg_close(FILE *svg)
{
    fputs("</svg>\n", svg);
}

void svg_rule(FILE *svg, const char *class, double x1, double y1, double x2, double y2)
{
    fprintf(svg, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, x1, y1, x2, y2);
}

void svg_text(FILE *svg, const char *class, const char *anchor, double x, double y, const char *text)
{
    fprintf(svg, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
            class != NULL ? class : "text", x, y, anchor, text);
}

void svg_text_up(FILE *svg, const char *class, const char *anchor, double x, double y, const char *text)
{
    fprintf(
        svg,
        "<text class=\"%s\" transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"%s\">%s</text>\n",
        class != NULL ? class : "text", x, y, anchor, text);
}

double svg_step(int number)
{
    static const double digit[] = {1, 2, 5};
    int place = (number % 3 + 3) % 3;
    return digit[place] * pow(10, (number - place) / 3);
}

double svg_text_width(const char *text)
{
    return 7.0 * (double)strlen(text);
}
