#include "report/snippet.h"

#include <string.h>
#include <sys/stat.h>

enum { MOST_AROUND = 20, MOST_COLUMNS = 160, TAB = 4 };

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

FILE *snippet_open(const char *path, const char *module)
{
    struct stat source, compiled;
    if (path == NULL || path[0] != '/' || stat(path, &source) != 0 || !S_ISREG(source.st_mode))
        return NULL;
    if (module != NULL && stat(module, &compiled) == 0 && is_newer(&source.st_mtim, &compiled.st_mtim))
        return NULL;
    return fopen(path, "re");
}

/* One line, as it is shown: what is longer ends with "...". False: there is none. */
static bool read_line(FILE *in, char line[MOST_COLUMNS + 1])
{
    size_t used = 0, length = 0;
    int c = getc(in);
    if (c == EOF)
        return false;
    for (; c != EOF && c != '\n'; c = getc(in)) {
        size_t times = c == '\t' ? TAB - used % TAB : 1;
        bool shown = (c >= ' ' && c != 0x7f) || c == '\t';
        length += times;
        for (; times > 0 && used < MOST_COLUMNS; times--)
            line[used++] = (char)(c == '\t' ? ' ' : shown ? c : '?');
    }
    if (length > MOST_COLUMNS)
        memcpy(line + MOST_COLUMNS - 3, "...", 3);
    while (used > 0 && line[used - 1] == ' ')
        used--;
    line[used] = '\0';
    return true;
}

struct snippet snippet_of(struct pool *pool, const struct live_frame *f, unsigned around)
{
    struct snippet s = {.count = 0};
    FILE *in = f != NULL && f->line > 0 ? snippet_open(f->source, f->module) : NULL;
    if (in == NULL)
        return s;
    char line[MOST_COLUMNS + 1];
    around = around < MOST_AROUND ? around : MOST_AROUND;
    s.first = f->line > around ? f->line - around : 1;
    s.line = pool_take(pool, (2 * around + 1) * sizeof *s.line);
    for (uint32_t number = 1; number <= f->line + around && read_line(in, line); number++)
        if (number >= s.first)
            s.line[s.count++] = pool_text(pool, line, strlen(line));
    if (s.first + s.count <= f->line)
        s.count = 0; /* it is not as long */
    fclose(in);
    return s;
}
