#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/unfinished.h"

static bool write_failed(struct problem *problem)
{
    return problem_set(problem, 0, "cannot write: %s", strerror(errno));
}

static bool cannot_open(struct problem *problem)
{
    return problem_set(problem, 0, "cannot open for writing: %s", strerror(errno));
}

/* Opens a temporary file beside `place`, with the mode of what is there. */
static bool open_beside(struct output *o, const struct stat *existing, struct problem *problem)
{
    o->temporary = unfinished_name(o->place);
    o->file = unfinished_open(o->temporary);
    if (o->file == NULL)
        return cannot_open(problem);
    if (existing != NULL)
        fchmod(fileno(o->file), existing->st_mode & 07777);
    return true;
}

static bool open_file(struct output *o, struct problem *problem)
{
    struct stat st;
    if (strcmp(o->path, "-") == 0) {
        o->file = stdout;
        return true;
    }
    if (stat(o->path, &st) != 0) {
        o->place = strdup(o->path);
        return open_beside(o, NULL, problem);
    }
    if (!S_ISREG(st.st_mode)) {
        o->file = fopen(o->path, "wb");
        return o->file != NULL || cannot_open(problem);
    }
    o->place = realpath(o->path, NULL); /* a link stays a link */
    if (o->place == NULL || access(o->place, W_OK) != 0)
        return cannot_open(problem);
    return open_beside(o, &st, problem);
}

static void forget(struct output *o)
{
    if (o->temporary != NULL)
        unfinished_forget(o->temporary);
    free(o->temporary);
    free(o->place);
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
        forget(o);
        return false;
    }
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
    if (o->file != stdout && fclose(o->file) != 0 && good)
        good = !keep || write_failed(problem);
    if (o->temporary != NULL) {
        if (keep && good && rename(o->temporary, o->place) != 0)
            good = write_failed(problem);
        if (!keep || !good)
            unlink(o->temporary);
    }
    forget(o);
    return good;
}
