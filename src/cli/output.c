#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_failed(struct output *o, struct problem *problem)
{
    (void)o;
    return problem_set(problem, 0, "cannot write: %s", strerror(errno));
}

static bool open_file(struct output *o, struct problem *problem)
{
    struct stat st;
    if (strcmp(o->path, "-") == 0) {
        o->file = stdout;
        return true;
    }
    if (stat(o->path, &st) == 0 && !S_ISREG(st.st_mode)) {
        o->file = fopen(o->path, "wb");
    } else {
        if (asprintf(&o->temporary, "%s.part-%ld", o->path, (long)getpid()) < 0)
            tool_failed("out of memory");
        o->file = fopen(o->temporary, "wb");
    }
    return o->file != NULL || problem_set(problem, 0, "cannot open for writing: %s", strerror(errno));
}

bool output_open(struct output *o, const char *path, const struct writer_format *format, bool closed_world,
                 struct problem *problem)
{
    *o = (struct output){.path = path, .format = format};
    if (format == NULL)
        o->format = strcmp(path, "-") == 0 ? &writer_std : writer_format_for(path);
    if (o->format == NULL)
        return problem_set(problem, 0, "no known trace format by this ending (.std, .pft); use --to=FORMAT");
    if (!open_file(o, problem)) {
        free(o->temporary);
        return false;
    }
    o->writer = o->format->open(o->file, closed_world);
    return true;
}

bool output_put(struct output *o, const struct names *names, const struct event *events, size_t count,
                struct problem *problem)
{
    return o->format->put(o->writer, names, events, count) || write_failed(o, problem);
}

bool output_close(struct output *o, bool keep, struct problem *problem)
{
    bool good = o->format->finish(o->writer) && fflush(o->file) == 0;
    if (keep && !good)
        write_failed(o, problem);
    if (o->file != stdout && fclose(o->file) != 0 && good)
        good = !keep || write_failed(o, problem);
    if (o->temporary != NULL) {
        if (keep && good && rename(o->temporary, o->path) != 0)
            good = write_failed(o, problem);
        if (!keep || !good)
            unlink(o->temporary);
        free(o->temporary);
    }
    return good;
}
