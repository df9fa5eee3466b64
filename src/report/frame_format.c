/* A frame of a stack as text, by TSan's stack_trace_format. */
#include <inttypes.h>
#include <string.h>

#include "report/live_writers.h"
#include "trace/show.h"

static const char default_format[] = "    #%n %f %S %M";

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

void text_shown(FILE *out, const char *text)
{
    struct name name = {text, (uint32_t)strlen(text)};
    if (name_is_printable(name))
        fputs(text, out);
    else
        show_name_to(out, name, 0);
}

static void put_name(FILE *out, const char *name)
{
    if (name != NULL)
        text_shown(out, name);
    else
        fputs("<null>", out);
}

void frame_place(FILE *out, const char *file, uint32_t line)
{
    put_name(out, file);
    if (file != NULL && line > 0)
        fprintf(out, ":%" PRIu32, line);
}

static void put_module(FILE *out, const struct live_frame *f)
{
    if (f->module != NULL) {
        fputc('(', out);
        text_shown(out, base_name(f->module));
        fprintf(out, "+0x%" PRIx64 ")", f->offset);
    } else if (f->address != 0) {
        fprintf(out, "(0x%" PRIx64 ")", f->address);
    }
}

static void put_part(FILE *out, char what, size_t number, const struct live_frame *f)
{
    switch (what) {
    case 'n':
        fprintf(out, "%zu", number);
        break;
    case 'p':
        fprintf(out, "0x%" PRIx64, f->address);
        break;
    case 'm':
        put_name(out, f->module);
        break;
    case 'o':
        fprintf(out, "0x%" PRIx64, f->offset);
        break;
    case 'f':
        put_name(out, f->function);
        break;
    case 's':
        put_name(out, f->file);
        break;
    case 'l':
        fprintf(out, "%" PRIu32, f->line);
        break;
    case 'c':
        fprintf(out, "%" PRIu32, f->column);
        break;
    case 'F':
        if (f->function != NULL)
            fprintf(out, "in %s", f->function);
        break;
    case 'S':
        frame_place(out, f->file, f->line);
        break;
    case 'L':
        if (f->file != NULL)
            frame_place(out, f->file, f->line);
        else
            put_module(out, f);
        break;
    case 'M':
        put_module(out, f);
        break;
    case '%':
        fputc('%', out);
        break;
    default: /* not one of ours: as it is */
        fprintf(out, "%%%c", what);
    }
}

/* Functions of libc that stand for an access are in no module: their lines end with what comes before that.
 */
static bool is_empty(char what, const struct live_frame *f)
{
    return what == 'M' && f->module == NULL && f->address == 0;
}

void frame_write(FILE *out, const char *format, size_t number, const struct live_frame *f)
{
    if (format[0] == '\0' || strcmp(format, "DEFAULT") == 0)
        format = default_format;
    for (const char *at = format; *at != '\0'; at++) {
        if (*at == ' ' && at[1] == '%' && is_empty(at[2], f))
            continue;
        if (*at != '%' || at[1] == '\0')
            fputc(*at, out);
        else
            put_part(out, *++at, number, f);
    }
    fputc('\n', out);
}
