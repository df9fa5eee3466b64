/* photofinish run: runs a program and writes the reports of all its processes. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output_path.h"
#include "cli/baseline.h"
#include "cli/cli.h"
#include "cli/guests.h"
#include "cli/report_files.h"
#include "detect/detectors.h"
#include "report/live_writers.h"

enum { EXIT_BAD_OPTIONS = 64 };
#define NO_EXIT_CODE UINT64_MAX

struct session {
    struct child child;
    struct desk desk;
    const struct detector *detector;
    bool heard; /* some process of the program runs on our runtime */
    int exit_code;
    json_t *races;
    struct report_files files;
    struct baseline baseline;
    bool update_baseline;
    bool verbose;
    FILE *generated;     /* suppressions are written there; NULL: nowhere */
    int generated_error; /* of the first of them that could not be; 0: all could */
    struct suppressions written;
    const char *log; /* path of the file that has the reports; NULL: standard error */
    int old[2]; /* files with what is to be written over as soon as there is something to write; -1: none */
};

/* --- messages --- */

static void empty_old(struct session *s)
{
    struct stat st;
    for (size_t i = 0; i < array_length(s->old); i++) {
        if (s->old[i] >= 0 && fstat(s->old[i], &st) == 0 && S_ISREG(st.st_mode) &&
            ftruncate(s->old[i], 0) != 0)
            tool_failed("cannot empty a file: %s", strerror(errno));
        s->old[i] = -1;
    }
}

static bool take_message(void *context, struct guest *guest, struct packet *packet)
{
    struct session *s = context;
    struct wire_verdict verdict;
    empty_old(s);
    enum desk_result result = desk_take(&s->desk, guest->client, packet->bytes, packet->length, -1, &verdict);
    if (result == DESK_UNKNOWN)
        return false;
    s->heard = s->heard || result != DESK_REFUSED;
    if (result == DESK_ANSWER)
        packet_answer(guest->socket, &verdict, -1);
    if (result == DESK_ANSWER && verdict.counts)
        s->exit_code = (int)verdict.exit_code;
    return true;
}

/* --- output --- */

/* Opens a file that keeps what it has until empty_old. Our own descriptors (/dev/stdout) are never emptied. */
static int open_kept(const char *path, int flags, int *old, struct problem *problem)
{
    struct output_path place;
    if (!output_path_find(&place, path, problem))
        return -1;
    int fd = output_path_open(&place, flags | O_WRONLY | O_CREAT, problem);
    *old = place.in_proc ? -1 : fd;
    output_path_free(&place);
    return fd;
}

/* A line among the reports. */
static __attribute__((format(printf, 2, 3))) void say(struct session *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (vdprintf(s->desk.log, format, args) < 0 && s->desk.log_error == 0)
        s->desk.log_error = errno;
    va_end(args);
}

/* A line that hides this race, unless one that is written does. */
static void generate(struct session *s, const struct live_race *race)
{
    char *line = NULL;
    size_t length = 0;
    struct problem problem;
    if (suppressions_match(&s->written, race) != NULL)
        return;
    FILE *text = open_memstream(&line, &length);
    if (text == NULL)
        tool_failed("out of memory");
    suppression_write(race, text);
    fclose(text);
    suppressions_add_text(&s->written, line, length, &problem);
    if ((fwrite(line, 1, length, s->generated) != length || fflush(s->generated) != 0) &&
        s->generated_error == 0)
        s->generated_error = errno;
    free(line);
}

static void keep_race(void *context, const struct live_race *race, bool known)
{
    struct session *s = context;
    json_t *json = live_race_json(race);
    if (known)
        json_object_set_new(json, "known", json_true());
    json_array_append_new(s->races, json);
    if (s->generated != NULL && !known)
        generate(s, race);
}

static bool is_known(void *context, const char *fingerprint)
{
    const struct session *s = context;
    return baseline_knows(&s->baseline, fingerprint);
}

/* What is to be known, or was asked for, besides the races. */
static void write_more(struct session *s)
{
    struct options
        options; /* what the program has found in its environment, too; it has said what is wrong with it */
    struct options_problem problem;
    FILE *out = fdopen(dup(s->desk.log), "w");
    if (out == NULL)
        return;
    environment_options(&options, &problem);
    if (s->desk.reported > 0)
        completeness_warning(&s->desk.completeness, out);
    if (options.print_suppressions)
        desk_put_unused(out, &s->desk.suppressions);
    if (s->verbose || options.verbosity > 0)
        completeness_text(&s->desk.completeness, out);
    if (fclose(out) != 0 && s->desk.log_error == 0)
        s->desk.log_error = errno;
}

static json_t *run_json(const struct session *s, char **argv)
{
    json_t *arguments = json_array();
    for (char **a = argv + 1; *a != NULL; a++)
        json_array_append_new(arguments, live_json_text(*a));
    int status = s->child.status;
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:O, s:I, s:I, s:o, s:o}", "tool", "photofinish",
                  "version", PF_VERSION, "detector", s->detector->name, "precise", s->detector->precise,
                  "program", live_json_text(argv[0]), "arguments", arguments, "exit_status",
                  WIFEXITED(status) ? json_integer(WEXITSTATUS(status)) : json_null(), "signal",
                  WIFSIGNALED(status) ? json_integer(WTERMSIG(status)) : json_null(), "races", s->races,
                  "reported", (json_int_t)s->desk.reported, "suppressed", (json_int_t)s->desk.suppressed,
                  "completeness", completeness_json(&s->desk.completeness), "program_status",
                  s->desk.program_status >= 0 ? json_integer(s->desk.program_status) : json_null());
    if (s->baseline.path != NULL) {
        json_object_set_new(root, "baseline", live_json_text(s->baseline.path));
        json_object_set_new(root, "known", json_integer((json_int_t)s->desk.known));
    }
    return root;
}

/* All formats are made from the JSON. */
static bool write_report(struct session *s, char **argv)
{
    struct live_report report;
    struct problem problem;
    require(live_report_take(&report, run_json(s, argv), &problem));
    bool good = report_files_write(&s->files, &report);
    if (good && s->update_baseline) {
        size_t added;
        good = baseline_update(&s->baseline, &report, &added);
        if (good)
            say(s, "Photofinish: %zu race%s added to %s\n", added, added == 1 ? "" : "s", s->baseline.path);
    }
    live_report_free(&report);
    return good;
}

/* --- suppressions for what was found --- */

static bool open_generated(struct session *s, const char *path)
{
    if (path == NULL)
        return true;
    struct problem problem = {.reason = "cannot open for writing"};
    bool among_reports = strcmp(path, "-") == 0;
    int fd = among_reports ? dup(s->desk.log) : open_kept(path, 0, &s->old[1], &problem);
    s->generated = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (s->generated == NULL) {
        cli_bad_usage("run: %s: %s", path, problem.reason);
        return false;
    }
    return true;
}

static bool close_generated(struct session *s)
{
    if (s->generated != NULL && fclose(s->generated) != 0 && s->generated_error == 0)
        s->generated_error = errno;
    suppressions_free(&s->written);
    if (s->generated_error == 0)
        return true;
    fprintf(stderr, "photofinish: cannot write suppressions: %s\n", strerror(s->generated_error));
    return false;
}

/* --- the end --- */

static bool all_off(const struct session *s)
{
    const struct completeness *c = &s->desk.completeness;
    return c->off > 0 && c->off == c->processes && s->desk.reported == 0;
}

/* Why a report of this run would say nothing, and so look clean; NULL: it does say something. */
static const char *nothing_checked(const struct session *s)
{
    const struct completeness *c = &s->desk.completeness;
    if (s->detector == &detector_nop)
        return "nop does nothing";
    return (!s->heard && c->refused > 0) || all_off(s) ? completeness_doubt(c) : NULL;
}

/* By our own option, and not by TSan's or by the program, which leave the program's status as it is. */
static bool user_turned_off(void)
{
    struct options options;
    struct options_problem problem = {.unknown = ""};
    const char *ours = getenv("PHOTOFINISH_OPTIONS");
    options_default(&options);
    if (ours != NULL)
        options_parse(&options, ours, &problem);
    return !options.report_bugs && options.exitcode != 0;
}

/* Instead of 0: not everything was checked. */
static bool looks_clean(const struct session *s)
{
    return s->desk.completeness.unseen > 0 || (all_off(s) && user_turned_off());
}

static void write_count(struct session *s)
{
    const struct desk *d = &s->desk;
    const char *doubt = completeness_doubt(&d->completeness);
    say(s, "Photofinish: reported %" PRIu64 " warning%s", d->reported, d->reported == 1 ? "" : "s");
    if (s->baseline.path != NULL)
        say(s, ", and %" PRIu64 " known from %s", d->known, s->baseline.path);
    if (d->suppressed > 0)
        say(s, ", and %" PRIu64 " suppressed", d->suppressed);
    if (doubt != NULL)
        say(s, ", but not everything was checked (%s)", doubt);
    say(s, "\n");
}

/* False after an error message. (Where standard error is the log, there is nobody to tell; somebody who has closed it, or the
 * pipe behind it, wants nothing there.) */
static bool is_log_whole(const struct session *s)
{
    struct problem problem;
    if (s->desk.log_error == 0 || (s->log == NULL && desk_log_unwanted(s->desk.log_error)))
        return true;
    if (s->log == NULL)
        return false;
    problem_set(&problem, 0, "cannot write: %s", strerror(s->desk.log_error));
    cli_bad_output(s->log, &problem);
    return false;
}

static int finish(struct session *s, char **argv)
{
    int status = guests_status(&s->child, argv[0], s->desk.log);
    bool refused = s->desk.completeness.refused > 0;
    const char *nothing = nothing_checked(s);
    if (nothing != NULL)
        say(s, "Photofinish: nothing was checked (%s)\n", nothing);
    if (!s->heard) {
        if (nothing == NULL)
            guests_tell_unheard("run", argv[0], "checked");
        report_files_drop(&s->files);
        return refused && status != EXIT_BAD_OPTIONS ? EXIT_TOOL_FAILED : EXIT_BAD_OPTIONS;
    }
    if (nothing == NULL)
        write_count(s);
    else
        report_files_drop(&s->files);
    write_more(s);
    bool written = nothing != NULL || write_report(s, argv);
    written = close_generated(s) && written;
    written = is_log_whole(s) && written;
    if (!written || s->desk.failed)
        return EXIT_TOOL_FAILED;
    if (s->desk.reported > 0 && s->exit_code != 0)
        return s->exit_code;
    if (refused)
        return EXIT_TOOL_FAILED;
    if ((s->detector == &detector_nop && s->exit_code != 0) || (status == 0 && looks_clean(s)))
        return EXIT_BAD_OPTIONS;
    return status;
}

static int run(struct session *s, char **argv)
{
    struct problem problem;
    if (!report_files_open(&s->files, "run"))
        return EXIT_BAD_OPTIONS;
    s->races = json_array();
    s->desk.on_race = keep_race;
    s->desk.context = s;
    if (!child_start(&s->child, argv, s->detector->name, &problem)) {
        report_files_drop(&s->files);
        cli_bad_usage("run: %s: %s", argv[0], problem.reason);
        return EXIT_BAD_OPTIONS;
    }
    s->desk.program_pid = (uint32_t)s->child.pid;
    struct guests guests = {.child = &s->child, .said = take_message, .context = s};
    guests_serve(&guests);
    int code = finish(s, argv);
    guests_free(&guests);
    json_decref(s->races);
    baseline_close(&s->baseline);
    desk_close(&s->desk);
    return code;
}

/* --- the command --- */

static bool prepare_baseline(struct session *s, const char *path)
{
    struct problem problem;
    if (path == NULL) {
        if (s->update_baseline)
            cli_bad_usage("run: --update-baseline needs --baseline=FILE");
        return !s->update_baseline;
    }
    s->desk.is_known = is_known;
    if (s->update_baseline && report_files_name(&s->files, path)) {
        cli_bad_usage("run: %s: a report cannot go to the baseline that is updated", path);
        return false;
    }
    if (baseline_open(&s->baseline, path, s->update_baseline, &problem))
        return true;
    cli_bad_input(path, &problem);
    return false;
}

/* No output may be the program. */
static bool program_is_apart(const struct session *s, const char *program, const char *log,
                             const char *generated)
{
    if (strchr(program, '/') == NULL ||
        (!report_files_name(&s->files, program) && !report_paths_meet(log, program) &&
         !report_paths_meet(generated, program)))
        return true;
    cli_bad_usage("run: %s: this is the program, and would be overwritten", program);
    return false;
}

/* What is written at once empties its file: that must not be one that is read, or written at the end. */
static bool is_apart(const struct session *s, const char *written, const char *suppressions,
                     const char *baseline)
{
    if (written == NULL ||
        (!report_files_name(&s->files, written) && !report_paths_meet(written, suppressions) &&
         !report_paths_meet(written, baseline)))
        return true;
    cli_bad_usage("run: %s: this file is named twice, and would be overwritten", written);
    return false;
}

static bool are_apart(const struct session *s, const char *log, const char *generated,
                      const char *suppressions, const char *baseline)
{
    if (suppressions != NULL && report_files_name(&s->files, suppressions)) {
        cli_bad_usage("run: %s: a report cannot go to the suppressions", suppressions);
        return false;
    }
    return is_apart(s, log, suppressions, baseline) &&
           is_apart(s, generated, suppressions, report_paths_meet(log, generated) ? log : baseline);
}

static bool prepare_desk(struct session *s, const char *log, const char *suppressions)
{
    struct problem problem;
    s->desk.log = STDERR_FILENO;
    s->desk.clients_may_log = log == NULL;
    if (log != NULL)
        s->desk.log = open_kept(log, O_APPEND, &s->old[0], &problem);
    if (s->desk.log < 0) {
        cli_bad_usage("run: %s: %s", log, problem.reason);
        return false;
    }
    if (suppressions == NULL || suppressions_add_file(&s->desk.suppressions, suppressions, NULL, &problem))
        return true;
    cli_bad_input(suppressions, &problem);
    return false;
}

int command_run(int argc, char **argv)
{
    const char *generated = NULL, *suppressions = NULL, *log = NULL, *baseline = NULL;
    const char *detector = DEFAULT_DETECTOR;
    uint64_t exit_code = NO_EXIT_CODE;
    bool verbose = false, quiet = false, update_baseline = false;
    const char *github = getenv("GITHUB_ACTIONS");
    struct report_files files = {.github = github != NULL && strcmp(github, "true") == 0};
    const struct cli_option options[] = {
        {"json", "FILE", "also write the races as JSON", OPTION_TEXT, &files.json.path},
        {"html", "FILE", "also write them as a page that needs nothing but a browser", OPTION_TEXT,
         &files.html.path},
        {"sarif", "FILE", "also write them as SARIF 2.1.0, for code hosts and editors", OPTION_TEXT,
         &files.sarif.path},
        {"github", NULL, "also write GitHub's annotations to standard output (as if GITHUB_ACTIONS is true)",
         OPTION_FLAG, &files.github},
        {"baseline", "FILE", "races that are in this JSON are known: a line each, and no failure",
         OPTION_TEXT, &baseline},
        {"update-baseline", NULL, "add what is found to that file, which need not exist, and do not fail",
         OPTION_FLAG, &update_baseline},
        {"detector", "NAME", "which detector (default fasttrack2; photofinish detectors lists them)",
         OPTION_TEXT, &detector},
        {"suppressions", "FILE", "do not report what the file says (TSan's syntax)", OPTION_TEXT,
         &suppressions},
        {"gen-suppressions", "FILE",
         "write a suppression for each race there (without FILE: among the reports)", OPTION_PERHAPS_TEXT,
         &generated},
        {"exit-code", "N", "exit status after a race (default 66; 0: the program's own)", OPTION_NUMBER,
         &exit_code},
        {"log", "FILE", "write the reports there instead of standard error", OPTION_TEXT, &log},
        {"quiet", NULL, "a line for each race instead of a report", OPTION_FLAG, &quiet},
        {"verbose", NULL,
         "say at the end what the verdict rests on: what was not instrumented, not modelled, ignored",
         OPTION_FLAG, &verbose},
    };
    const struct cli_command command = {
        .name = "run",
        .arguments = "[--] PROG ARG...",
        .about = "Run a program that was built with pfcc, pfc++ or gcc -fsanitize=thread, and report its "
                 "data races",
        .more =
            "Reports go to standard error. The program's own input, output and arguments are its own.\n\n"
            "Exit status: the program's when no race was found, 128 + N if signal N killed it; 66 when one "
            "was\n"
            "(--exit-code changes it); 64 bad options, no such program, no instrumented code, or something else\n"
            "that was not checked (threads that were not seen, nop, report_bugs=0); 70 when Photofinish itself\n"
            "failed, or a report could not be written.\n\n"
            "Every detector but fasttrack2 runs on a generic host: slower, and with a lock around it. A "
            "program that\n"
            "was linked with --pf-static has fasttrack2 only.\n\n"
            "More options: PHOTOFINISH_OPTIONS (name=value:name=value; help=1 lists them) and TSan's flags "
            "of\n"
            "the same names in TSAN_OPTIONS.\n",
        .options = options,
        .option_count = array_length(options),
        .least_operands = 1,
        .most_operands = INT_MAX,
        .program_follows = true,
    };
    int operands, code;
    if (!cli_parse(&command, argc, argv, &operands, &code))
        return code == EXIT_BAD_INPUT ? EXIT_BAD_OPTIONS : code;
    argv[operands] = NULL;
    code = 0;
    if (detector_named(detector) == NULL)
        code = cli_no_detector("run", detector);
    else if (exit_code > 255 && exit_code != NO_EXIT_CODE)
        code = cli_bad_usage("run: --exit-code must be 0 to 255");
    if (code != 0)
        return EXIT_BAD_OPTIONS;
    struct session session = {.exit_code = 66,
                              .detector = detector_named(detector),
                              .files = files,
                              .update_baseline = update_baseline,
                              .verbose = verbose,
                              .log = log,
                              .old = {-1, -1}};
    desk_open(&session.desk);
    session.desk.quiet = quiet;
    session.desk.is_precise = detector_is_precise;
    session.desk.exit_code = exit_code != NO_EXIT_CODE ? (int)exit_code : -1;
    if (update_baseline) { /* all that there is, not only the first race on each variable */
        session.desk.none_count = true;
        session.exit_code = exit_code != NO_EXIT_CODE ? (int)exit_code : 0;
    }
    if (!program_is_apart(&session, argv[0], log, generated) ||
        !are_apart(&session, log, generated, suppressions, baseline) ||
        !prepare_desk(&session, log, suppressions) || !prepare_baseline(&session, baseline) ||
        !open_generated(&session, generated))
        return EXIT_BAD_OPTIONS;
    return run(&session, argv);
}
