/* The formats in which a command writes the report of a run. A file appears under its name when it is whole.
 */
#pragma once

#include "cli/unfinished.h"
#include "report/live_report.h"

struct report_file {
    const char *path; /* NULL: not asked for; "-": standard output */
    struct unfinished to;
};

struct report_files {
    struct report_file json, html, sarif;
    bool github; /* annotations on standard output */
};

/* PHOTOFINISH_OPTIONS and TSAN_OPTIONS, as a program finds them; what is wrong with them in *problem. */
void environment_options(struct options *options, struct options_problem *problem);

/* Are they, which may be NULL, names of one file, where one would overwrite the other? */
bool report_paths_meet(const char *a, const char *b);
/* Is this one of them? */
bool report_files_name(const struct report_files *files, const char *path);

/* Opens what has a path. False after an error message, with nothing left open. */
bool report_files_open(struct report_files *files, const char *command);
/* Writes them all and closes them. False after an error message. */
bool report_files_write(struct report_files *files, const struct live_report *report);
/* Takes back what was opened. */
void report_files_drop(struct report_files *files);
