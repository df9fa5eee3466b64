#include "cli/baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report_files.h"

static bool load(struct baseline *b, bool may_be_missing, struct problem *problem)
{
    if (access(b->path, F_OK) == 0 || errno != ENOENT || (!may_be_missing && strcmp(b->path, "-") == 0))
        return live_report_load(&b->report, b->path, problem);
    if (!may_be_missing)
        return problem_set(problem, 0, "no such file (--update-baseline writes it)");
    json_t *empty = json_pack("{s:s, s:s, s:[]}", "tool", "photofinish", "version", PF_VERSION, "races");
    return live_report_take(&b->report, empty, problem);
}

/* It can be written at the end: said before the program runs for hours. */
static bool may_be_written(const char *path, struct problem *problem)
{
    struct unfinished u;
    return unfinished_open(&u, path, problem) && unfinished_close(&u, false, problem);
}

bool baseline_open(struct baseline *b, const char *path, bool may_be_missing, struct problem *problem)
{
    *b = (struct baseline){.path = path};
    if ((may_be_missing && !may_be_written(path, problem)) || !load(b, may_be_missing, problem)) {
        live_report_free(&b->report);
        return false;
    }
    b->known = json_object();
    for (size_t i = 0; i < b->report.count; i++)
        json_object_set_new(b->known, b->report.race[i].fingerprint, json_true());
    return true;
}

bool baseline_knows(const struct baseline *b, const char *fingerprint)
{
    return json_object_get(b->known, fingerprint) != NULL;
}

bool baseline_update(struct baseline *b, const struct live_report *found, size_t *added)
{
    json_t *races = json_object_get(b->report.root, "races");
    struct report_files files = {.json.path = b->path};
    *added = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (baseline_knows(b, found->race[i].fingerprint))
            continue;
        json_object_set_new(b->known, found->race[i].fingerprint, json_true());
        json_array_append(races, found->race[i].json);
        ++*added;
    }
    if (*added == 0 && access(b->path, F_OK) == 0)
        return true;
    return report_files_open(&files, "run") && report_files_write(&files, &b->report);
}

void baseline_close(struct baseline *b)
{
    if (b->path == NULL)
        return;
    live_report_free(&b->report);
    json_decref(b->known);
}
