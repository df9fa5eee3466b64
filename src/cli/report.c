/* photofinish report: turns the report of a run into another format. */
#include <unistd.h>

#include "cli/cli.h"
#include "cli/report_files.h"
#include "report/live_writers.h"

int command_report(int argc, char **argv)
{
    struct report_files files = {.github = false};
    bool text = false, quiet = false, verbose = false;
    const struct cli_option options[] = {
        {"text", NULL, "write it as text to standard output (also if no other format is asked for)",
         OPTION_FLAG, &text},
        {"quiet", NULL, "the same, one line a race", OPTION_FLAG, &quiet},
        {"verbose", NULL, "the same, and what the verdict rests on", OPTION_FLAG, &verbose},
        {"json", "FILE", "write it as JSON", OPTION_TEXT, &files.json.path},
        {"html", "FILE", "write it as a page that needs nothing but a browser", OPTION_TEXT,
         &files.html.path},
        {"sarif", "FILE", "write it as SARIF 2.1.0, for code hosts and editors", OPTION_TEXT,
         &files.sarif.path},
        {"github", NULL, "write GitHub's annotations to standard output", OPTION_FLAG, &files.github},
    };
    const struct cli_command command = {
        .name = "report",
        .arguments = "REPORT",
        .about = "Turn what photofinish run --json or photofinish merge has written into another format",
        .more = "FILE may be - for standard output, REPORT for standard input. PHOTOFINISH_OPTIONS that say "
                "how text\n"
                "is written (source_lines, stack_trace_format, color ...) are those of run.\n\n"
                "Exit status: 0, races or not; 2 bad usage or bad input; 70 when it could not be written.\n",
        .options = options,
        .option_count = array_length(options),
        .least_operands = 1,
        .most_operands = 1,
    };
    int operands, code;
    struct problem problem;
    struct live_report report;
    if (!cli_parse(&command, argc, argv, &operands, &code))
        return code;
    struct options how; /* to write text */
    struct options_problem wrong;
    environment_options(&how, &wrong);
    if (wrong.bad[0] != '\0')
        return cli_bad_usage("report: bad option: %s", wrong.bad);
    if (!live_report_load(&report, argv[0], &problem)) {
        live_report_free(&report);
        return cli_bad_input(argv[0], &problem);
    }
    bool others =
        files.json.path != NULL || files.html.path != NULL || files.sarif.path != NULL || files.github;
    code = 0;
    if (!report_files_open(&files, "report"))
        code = EXIT_BAD_INPUT;
    else if (!report_files_write(&files, &report))
        code = EXIT_TOOL_FAILED;
    else if (text || quiet || verbose || !others)
        live_report_text(&report,
                         &(struct text_style){.options = &how,
                                              .quiet = quiet,
                                              .verbose = verbose || how.verbosity > 0,
                                              .colors = colors_wanted(how.color, STDOUT_FILENO)},
                         stdout);
    live_report_free(&report);
    return cli_finish(code);
}
