/* photofinish merge: one report of many runs, or of many processes of a test suite. */
#include <limits.h>

#include "cli/cli.h"
#include "cli/report_files.h"

static bool load_all(struct live_report **list, int count, char **paths, struct pool *pool)
{
    struct problem problem;
    for (int i = 0; i < count; i++) {
        list[i] = pool_take(pool, sizeof *list[i]);
        if (live_report_load(list[i], paths[i], &problem))
            continue;
        cli_bad_input(paths[i], &problem);
        return false;
    }
    return true;
}

static int write_merged(struct report_files *files, struct live_report *const *list)
{
    struct problem problem;
    struct live_report merged;
    if (!report_files_open(files, "merge"))
        return EXIT_BAD_INPUT;
    require(live_report_take(&merged, live_report_merge(list), &problem));
    bool good = report_files_write(files, &merged);
    live_report_free(&merged);
    return good ? 0 : EXIT_TOOL_FAILED;
}

int command_merge(int argc, char **argv)
{
    struct report_files files = {.json.path = "-"};
    const struct cli_option options[] = {
        {"o", "FILE", "write there instead of to standard output", OPTION_TEXT, &files.json.path},
    };
    const struct cli_command command = {
        .name = "merge",
        .arguments = "REPORT...",
        .about = "Unite reports of photofinish run --json: each race once, by its fingerprint",
        .more = "Every race says how often it was reported (times) and in which of the runs (runs: numbers "
                "of the\n"
                "list of that name, from 0). What was merged can be merged again. FILE may be one of those "
                "that are "
                "read.\n\n"
                "Exit status: 0, races or not; 2 bad usage or bad input; 70 when it could not be written.\n",
        .options = options,
        .option_count = array_length(options),
        .least_operands = 1,
        .most_operands = INT_MAX,
    };
    int operands, code;
    if (!cli_parse(&command, argc, argv, &operands, &code))
        return code;
    struct pool pool = {0};
    struct live_report **list = pool_take(&pool, ((size_t)operands + 1) * sizeof *list);
    code = load_all(list, operands, argv, &pool) ? write_merged(&files, list) : EXIT_BAD_INPUT;
    for (size_t i = 0; list[i] != NULL; i++)
        live_report_free(list[i]);
    pool_free(&pool);
    return cli_finish(code);
}
