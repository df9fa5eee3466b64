#include "table.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

/* Characters, not bytes: columns may be named in UTF-8. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

void table_open(struct table *t, const char *title, const char *columns)
{
    *t = (struct table){.title = title};
    for (; columns != NULL; t->columns++) { /* the header is the first row of cells */
        require(t->columns < MOST_COLUMNS);
        t->left[t->columns] = *columns == '<';
        columns += *columns == '<';
        table_cell(t, "%.*s", (int)strcspn(columns, "|"), columns);
        columns = strchr(columns, '|');
        columns = columns == NULL ? NULL : columns + 1;
    }
}

void table_cell(struct table *t, const char *format, ...)
{
    t->cell = mem_reserve(&t->mem, t->cell, sizeof *t->cell, &t->capacity, t->cells + 1);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->cell[t->cells++], LONGEST_CELL, format, arguments);
    va_end(arguments);
}

static void print(const struct table *t)
{
    int width[MOST_COLUMNS] = {0};
    for (size_t i = 0; i < t->cells; i++) {
        int wanted = width_of(t->cell[i]);
        width[i % t->columns] = wanted > width[i % t->columns] ? wanted : width[i % t->columns];
    }
    printf("\n%s\n\n", t->title);
    for (size_t i = 0; i < t->cells; i++) {
        size_t column = i % t->columns;
        bool last = column + 1 == t->columns, left = t->left[column];
        int padding = width[column] - width_of(t->cell[i]);
        printf("%s%*s%s%*s%s", column == 0 ? "" : "  ", left ? 0 : padding, "", t->cell[i],
               left && !last ? padding : 0, "", last ? "\n" : "");
    }
    fflush(stdout);
}

FILE *table_create(const char *out, const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", out, name, ending);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        tool_failed("bench: cannot write %s: %s", path, strerror(errno));
    return file;
}

void table_close(struct table *t, const char *out, const char *name)
{
    require(t->cells % t->columns == 0);
    print(t);
    FILE *csv = table_create(out, name, "csv");
    for (size_t i = 0; i < t->cells; i++)
        fprintf(csv, "%s%c", t->cell[i], (i + 1) % t->columns == 0 ? '\n' : ',');
    if (fclose(csv) != 0)
        tool_failed("bench: cannot write %s.csv", name);
    mem_free(&t->mem, t->cell, t->capacity * sizeof *t->cell);
}
