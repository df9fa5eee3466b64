#include "cli/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool write_failed(struct problem *problem)
{
    return problem_set(problem, 0, "cannot write: %s", strerror(errno));
}

static bool cannot_open(struct problem *problem)
{
    return problem_set(problem, 0, "cannot open for writing: %s", strerror(errno));
}

static bool open_file(struct output *o, struct problem *problem)
{
    struct stat st;
    if (strcmp(o->path, "-") == 0) {
        o->file = stdout;
        return true;
    }
    if (stat(o->path, &st) == 0 && !S_ISREG(st.st_mode))
        o->file = fopen(o->path, "wb");
    else if (unfinished_open(&o->unfinished, o->path))
        o->file = o->unfinished.file;
    return o->file != NULL || cannot_open(problem);
}

bool output_open(struct output *o, const char *path, const struct writer_format *format, bool closed_world,
                 struct problem *problem)
{
    *o = (struct output){.path = path, .format = format};
    if (format == NULL)
        o->format = strcmp(path, "-") == 0 ? &writer_std : writer_format_for(path);
    if (o->format == NULL)
        return problem_set(problem, 0, "no known trace format by this ending (.std, .pft); use --to=FORMAT");
    if (!open_file(o, problem))
        return false;
    o->writer = o->format->open(o->file, closed_world);
    return true;
}

bool output_put(struct output *o, const struct names *names, const struct event *events, size_t count,
                struct problem *problem)
{
    return o->format->put(o->writer, names, events, count) || write_failed(problem);
}

bool output_close(struct output *o, bool keep, struct problem *problem)
{
    bool good = o->format->finish(o->writer) && fflush(o->file) == 0;
    if (keep && !good)
        write_failed(problem);
    bool closed = o->unfinished.place != NULL ? unfinished_close(&o->unfinished, keep && good)
                  : o->file != stdout         ? fclose(o->file) == 0
                                              : true;
    if (keep && good && !closed)
        write_failed(problem);
    return good && closed;
}
