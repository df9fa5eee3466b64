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
    struct stat st;
    if (f->path == NULL)
        return true;
    if (strcmp(f->path, "-") == 0)
        f->file = stdout;
    else if (stat(f->path, &st) == 0 && !S_ISREG(st.st_mode))
        f->file = fopen(f->path, "we");
    else if (asprintf(&f->temporary, "%s.part-%ld", f->path, (long)getpid()) >= 0)
        f->file = fopen(f->temporary, "we");
    if (f->file == NULL)
        cli_bad_usage("%s: %s: cannot open for writing: %s", command, f->path, strerror(errno));
    return f->file != NULL;
}

static void drop_one(struct report_file *f)
{
    if (f->file != NULL && f->file != stdout)
        fclose(f->file);
    if (f->file != NULL && f->temporary != NULL)
        unlink(f->temporary);
    free(f->temporary);
    *f = (struct report_file){.path = NULL};
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
        good = rename(f->temporary, f->path) == 0;
    if (!good) {
        fprintf(stderr, "photofinish: %s: cannot write: %s\n", f->path, strerror(errno));
        if (f->temporary != NULL)
            unlink(f->temporary);
    }
    free(f->temporary);
    return good;
}

bool report_files_open(struct report_files *files, const char *command)
{
    if (open_one(&files->json, command) && open_one(&files->html, command) &&
        open_one(&files->sarif, command))
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
