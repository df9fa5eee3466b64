#include "cli/output.h"

#include <errno.h>
#include <string.h>

static bool write_failed(struct problem *problem)
{
    return problem_set(problem, 0, "cannot write: %s", strerror(errno));
}

bool output_open(struct output *o, const char *path, const struct writer_format *format, bool closed_world,
                 struct problem *problem)
{
    *o = (struct output){.path = path, .format = format};
    if (format == NULL)
        o->format = strcmp(path, "-") == 0 ? &writer_std : writer_format_for(path);
    if (o->format == NULL)
        return problem_set(problem, 0, "no known trace format by this ending (.std, .pft); use --to=FORMAT");
    if (!unfinished_open(&o->unfinished, path, problem))
        return false;
    o->writer = o->format->open(o->unfinished.file, closed_world);
    return true;
}

bool output_put(struct output *o, const struct names *names, const struct event *events, size_t count,
                struct problem *problem)
{
    return o->format->put(o->writer, names, events, count) || write_failed(problem);
}

bool output_close(struct output *o, bool keep, struct problem *problem)
{
    bool good = o->format->finish(o->writer);
    if (keep && !good)
        write_failed(problem);
    bool closed = unfinished_close(&o->unfinished, keep && good, problem);
    return good && closed;
}
