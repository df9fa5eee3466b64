#include "cli/report_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/unfinished.h"

void environment_options(struct options *options, struct options_problem *problem)
{
    static const char *const variables[] = {"TSAN_OPTIONS", "PHOTOFINISH_OPTIONS"};
    *problem = (struct options_problem){.unknown = ""};
    options_default(options);
    for (size_t i = 0; i < array_length(variables); i++)
        if (getenv(variables[i]) != NULL)
            options_parse(options, getenv(variables[i]), problem);
}

/* Under a temporary name beside its place, with the mode of what is there. */
static FILE *open_beside(struct report_file *f, const struct stat *existing)
{
    f->place = existing != NULL ? realpath(f->path, NULL) : strdup(f->path); /* a link stays a link */
    if (f->place == NULL || (existing != NULL && access(f->place, W_OK) != 0))
        return NULL;
    f->temporary = unfinished_name(f->place);
    FILE *file = unfinished_open(f->temporary);
    if (file != NULL && existing != NULL)
        fchmod(fileno(file), existing->st_mode & 07777);
    return file;
}

static bool open_one(struct report_file *f, const char *command)
{
    struct stat st;
    if (f->path == NULL)
        return true;
    if (strcmp(f->path, "-") == 0)
        f->file = stdout;
    else if (stat(f->path, &st) != 0)
        f->file = open_beside(f, NULL);
    else
        f->file = S_ISREG(st.st_mode) ? open_beside(f, &st) : fopen(f->path, "we");
    if (f->file == NULL)
        cli_bad_usage("%s: %s: cannot open for writing: %s", command, f->path, strerror(errno));
    return f->file != NULL;
}

static void forget(struct report_file *f)
{
    if (f->temporary != NULL)
        unfinished_forget(f->temporary);
    free(f->temporary);
    free(f->place);
    *f = (struct report_file){.path = f->path};
}

static void drop_one(struct report_file *f)
{
    if (f->file != NULL && f->file != stdout)
        fclose(f->file);
    if (f->file != NULL && f->temporary != NULL)
        unlink(f->temporary);
    forget(f);
}

/* After its text was written. */
static bool close_one(struct report_file *f)
{
    if (f->file == NULL)
        return true;
    bool good = fflush(f->file) == 0 && !ferror(f->file);
    if (f->file != stdout)
        good = fclose(f->file) == 0 && good;
    if (good && f->temporary != NULL)
        good = rename(f->temporary, f->place) == 0;
    if (!good) {
        fprintf(stderr, "photofinish: %s: cannot write: %s\n", f->path, strerror(errno));
        if (f->temporary != NULL)
            unlink(f->temporary);
    }
    forget(f);
    return good;
}

static bool names(const struct report_file *f, const char *path)
{
    struct stat one, other;
    if (f->path == NULL)
        return false;
    return strcmp(f->path, path) == 0 || (stat(f->path, &one) == 0 && stat(path, &other) == 0 &&
                                          one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

bool report_files_name(const struct report_files *files, const char *path)
{
    return names(&files->json, path) || names(&files->html, path) || names(&files->sarif, path);
}

/* Two formats in one file are neither. */
static bool is_same(const struct report_file *a, const struct report_file *b)
{
    struct stat one, other;
    if (a->file == NULL || b->file == NULL)
        return false;
    if (a->file == b->file)
        return true;
    return fstat(fileno(a->file), &one) == 0 && fstat(fileno(b->file), &other) == 0 && S_ISREG(one.st_mode) &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

static bool all_differ(const struct report_files *files, const char *command)
{
    const struct report_file *twice = is_same(&files->json, &files->html)    ? &files->html
                                      : is_same(&files->json, &files->sarif) ? &files->sarif
                                      : is_same(&files->html, &files->sarif) ? &files->sarif
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
    drop_one(&files->json);
    drop_one(&files->html);
    drop_one(&files->sarif);
}

bool report_files_write(struct report_files *files, const struct live_report *report)
{
    char *directory = getcwd(NULL, 0);
    if (files->json.file != NULL) {
        json_dumpf(report->root, files->json.file, JSON_INDENT(2));
        fputc('\n', files->json.file);
    }
    if (files->html.file != NULL)
        live_report_html(report, files->html.file);
    if (files->sarif.file != NULL)
        live_report_sarif(report, directory, files->sarif.file);
    bool good = close_one(&files->json);
    good = close_one(&files->html) && good;
    good = close_one(&files->sarif) && good;
    if (files->github) {
        live_report_github(report, directory, stdout);
        good = cli_finish(0) == 0 && good;
    }
    free(directory);
    return good;
}
