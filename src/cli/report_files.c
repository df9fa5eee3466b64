#include "cli/report_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

void environment_options(struct options *options, struct options_problem *problem)
{
    static const char *const variables[] = {"TSAN_OPTIONS", "PHOTOFINISH_OPTIONS"};
    *problem = (struct options_problem){.unknown = ""};
    options_default(options);
    for (size_t i = 0; i < array_length(variables); i++)
        if (getenv(variables[i]) != NULL)
            options_parse(options, getenv(variables[i]), problem);
}

static bool open_one(struct report_file *f, const char *command)
{
    struct problem problem;
    if (f->path == NULL || unfinished_open(&f->to, f->path, &problem))
        return true;
    cli_bad_usage("%s: %s: %s", command, f->path, problem.reason);
    return false;
}

/* whole: its text was written. */
static bool close_one(struct report_file *f, bool whole)
{
    struct problem problem;
    if (f->to.file == NULL || unfinished_close(&f->to, whole, &problem))
        return true;
    cli_bad_output(f->path, &problem);
    return false;
}

/* Of a path: the same name in the same folder. */
static bool is_same_place(const char *a, const char *b)
{
    const char *a_name = strrchr(a, '/'), *b_name = strrchr(b, '/');
    struct pool pool = {0};
    struct stat one, other;
    const char *a_folder = a_name != NULL ? pool_text(&pool, a, (size_t)(a_name - a) + 1) : ".",
               *b_folder = b_name != NULL ? pool_text(&pool, b, (size_t)(b_name - b) + 1) : ".";
    bool same = strcmp(a_name != NULL ? a_name + 1 : a, b_name != NULL ? b_name + 1 : b) == 0 &&
                stat(a_folder, &one) == 0 && stat(b_folder, &other) == 0 && one.st_dev == other.st_dev &&
                one.st_ino == other.st_ino;
    pool_free(&pool);
    return same;
}

bool report_paths_meet(const char *a, const char *b)
{
    struct stat one, other;
    if (a == NULL || b == NULL || strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return false;
    if (stat(a, &one) == 0 && !S_ISREG(one.st_mode))
        return false; /* a terminal, /dev/null: there is room for two */
    return is_same_place(a, b) || (stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
                                   one.st_ino == other.st_ino);
}

bool report_files_name(const struct report_files *files, const char *path)
{
    return report_paths_meet(files->json.path, path) || report_paths_meet(files->html.path, path) ||
           report_paths_meet(files->sarif.path, path);
}

/* Two formats in one file are neither. */
static bool all_differ(const struct report_files *files, const char *command)
{
    const struct report_file *twice = unfinished_same(&files->json.to, &files->html.to)    ? &files->html
                                      : unfinished_same(&files->json.to, &files->sarif.to) ? &files->sarif
                                      : unfinished_same(&files->html.to, &files->sarif.to) ? &files->sarif
                                                                                           : NULL;
    if (twice != NULL)
        cli_bad_usage("%s: %s: two formats cannot go to one file", command, twice->path);
    return twice == NULL;
}

bool report_files_open(struct report_files *files, const char *command)
{
    if (open_one(&files->json, command) && open_one(&files->html, command) &&
        open_one(&files->sarif, command) && all_differ(files, command))
        return true;
    report_files_drop(files);
    return false;
}

void report_files_drop(struct report_files *files)
{
    close_one(&files->json, false);
    close_one(&files->html, false);
    close_one(&files->sarif, false);
}

bool report_files_write(struct report_files *files, const struct live_report *report)
{
    char *directory = getcwd(NULL, 0);
    if (files->json.to.file != NULL) {
        json_dumpf(report->root, files->json.to.file, JSON_INDENT(2));
        fputc('\n', files->json.to.file);
    }
    if (files->html.to.file != NULL)
        live_report_html(report, files->html.to.file);
    if (files->sarif.to.file != NULL)
        live_report_sarif(report, directory, files->sarif.to.file);
    bool good = close_one(&files->json, true);
    good = close_one(&files->html, true) && good;
    good = close_one(&files->sarif, true) && good;
    if (files->github) {
        live_report_github(report, directory, stdout);
        good = cli_finish(0) == 0 && good;
    }
    free(directory);
    return good;
}
