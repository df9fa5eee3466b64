/* photofinish analyze: the races of a trace. */
#include <inttypes.h>
#include <time.h>

#include "cli/cli.h"
#include "replay/analyze.h"
#include "report/report.h"

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

enum { MOST_RULES = 32 };

static void fill_statistics(const struct analysis *a, const struct detector_stats *d,
                            struct report_rule *rules, struct report_statistics *s)
{
    *s = (struct report_statistics){.rules = rules,
                                    .rule_count = d->rule_count,
                                    .sync_events = d->sync_events,
                                    .max_clock = d->max_clock,
                                    .read_shared = d->read_shared,
                                    .variable_bytes = d->variable_bytes,
                                    .sync_bytes = d->sync_bytes,
                                    .peak_bytes = a->replay.host.mem.peak,
                                    .note = d->note};
    require(d->rule_count <= MOST_RULES);
    for (size_t i = 0; i < d->rule_count; i++) {
        rules[i] = (struct report_rule){d->rules[i].rule, d->rules[i].fired};
        s->accesses += d->rules[i].fired;
        s->same_epoch += d->rules[i].same_epoch ? d->rules[i].fired : 0;
    }
}

static void print_report(struct analysis *a, bool json, double seconds)
{
    struct report report = {.detector = a->detector->name,
                            .precise = a->detector->precise,
                            .trace = a->path,
                            .events = a->replay.events,
                            .names = &a->reader.names,
                            .races = a->replay.race,
                            .race_count = a->replay.race_count,
                            .all = a->all,
                            .checked = a->detector != &detector_nop && a->replay.events > 0,
                            .complete = a->reader.salvaged_lost == 0};
    struct detector_stats of_detector;
    struct report_rule rules[MOST_RULES];
    struct report_statistics statistics;
    if (a->count_rules) {
        a->detector->stats(a->replay.state, &of_detector);
        fill_statistics(a, &of_detector, rules, &statistics);
        statistics.seconds = seconds;
        report.statistics = &statistics;
    }
    if (json)
        report_json(&report, stdout);
    else
        report_text(&report, stdout);
}

static int run(struct analysis *a, bool json)
{
    struct problem problem;
    double started = seconds_now();
    if (!analysis_run(a, &problem))
        return cli_bad_input(a->path, &problem);
    if (a->replay.events == 0)
        fprintf(stderr, "photofinish: %s: the trace has no events: nothing was checked\n", a->path);
    if (a->reader.salvaged_lost > 0)
        fprintf(stderr,
                "photofinish: %s:%" PRIu64 ": the rest of the trace is damaged; analyzed what is before\n",
                a->path, a->replay.events + 1);
    print_report(a, json, seconds_now() - started);
    int code = a->replay.race_count > 0 ? EXIT_RACES : EXIT_NO_RACE;
    analysis_free(a);
    return cli_finish(code);
}

int command_analyze(int argc, char **argv)
{
    const char *detector = DEFAULT_DETECTOR, *format = "auto";
    bool json = false, all = false, stats = false, salvage = false;
    const struct cli_option options[] = {
        {"detector", "NAME",
         "which detector (default " DEFAULT_DETECTOR "; photofinish detectors lists them)", OPTION_TEXT,
         &detector},
        {"format", "F", "auto (default), std, rr, csv or pft", OPTION_TEXT, &format},
        {"json", NULL, "one JSON object on standard output instead of text", OPTION_FLAG, &json},
        {"all", NULL, "every pair the detector saw, not only the first race of each variable", OPTION_FLAG,
         &all},
        {"stats", NULL, "also how often each rule fired, clocks, memory and time", OPTION_FLAG, &stats},
        {"salvage", NULL, "take what is whole of a truncated or damaged .pft", OPTION_FLAG, &salvage},
    };
    const struct cli_command command = {
        .name = "analyze",
        .arguments = "TRACE",
        .about = "Find the races in a recorded execution; TRACE - is standard input",
        .more =
            "Exit status: 0 no race, 1 races, 2 bad usage or bad input, 70 the tool itself failed.\n\n"
            "Piped input is also copied to a temporary file (in TMPDIR): if there are races, the trace is\n"
            "read a second time for thread and location of their first accesses.\n\n"
            "A race is two accesses to one variable by different threads, at least one a write, that no "
            "chain\n"
            "of lock, fork, join, volatile or barrier operations orders. For each racy variable the "
            "first one\n"
            "is shown: the earliest access that is unordered with some access before it.\n",
        .options = options,
        .option_count = array_length(options),
        .least_operands = 1,
        .most_operands = 1,
    };
    int operands, exit_code;
    if (!cli_parse(&command, argc, argv, &operands, &exit_code))
        return exit_code;
    struct analysis analysis = {.path = argv[0],
                                .detector = detector_named(detector),
                                .all = all,
                                .count_rules = stats,
                                .salvage = salvage};
    if (analysis.detector == NULL)
        return cli_no_detector("analyze", detector);
    if (!cli_trace_format(&command, format, &analysis.format))
        return EXIT_BAD_INPUT;
    return run(&analysis, json);
}
