/* photofinish generate: a random feasible trace. */
#include "cli/cli.h"
#include "cli/output.h"
#include "replay/progress.h"
#include "trace/generate.h"

static bool write_trace(const struct generate_options *options, struct output *output,
                        struct problem *problem)
{
    struct names names;
    struct event events[1024];
    names_init(&names);
    struct generator *generator = generator_new(options, &names);
    struct progress progress;
    progress_start(&progress, "generating");
    bool good = true;
    size_t count;
    uint64_t done = 0;
    while (good && (count = generator_next(generator, events, array_length(events))) > 0) {
        good = output_put(output, &names, events, count, problem);
        done += count;
        progress_update(&progress, done, options->events, done);
    }
    progress_end(&progress);
    generator_free(generator);
    names_free(&names);
    return good;
}

int command_generate(int argc, char **argv)
{
    struct generate_options wanted = generate_defaults;
    const char *path = "-", *format_name = NULL;
    const struct cli_option options[] = {
#define X(name, value, help) {#name, "N", help " (" #value ")", OPTION_NUMBER, &wanted.name},
        GENERATE_OPTIONS(X)
#undef X
            {"o", "FILE", "write to FILE instead of standard output", OPTION_TEXT, &path},
        {"to", "F", "std or pft (default: by FILE's ending; std for standard output)", OPTION_TEXT,
         &format_name},
    };
    const struct cli_command command = {
        .name = "generate",
        .arguments = "",
        .about = "Write a random feasible trace; the same options give the same trace everywhere",
        .more =
            "The first thread forks the others; no thread appears unforked. Defaults are in parentheses.\n",
        .options = options,
        .option_count = array_length(options),
    };
    int operands, exit_code;
    if (!cli_parse(&command, argc, argv, &operands, &exit_code))
        return exit_code;
    struct problem problem;
    struct output output;
    if (!generate_check(&wanted, &problem))
        return cli_bad_input("generate", &problem);
    const struct writer_format *format = format_name == NULL ? NULL : writer_format_named(format_name);
    if (format_name != NULL && format == NULL)
        return cli_bad_usage("generate: cannot write format '%s' (std, pft)", format_name);
    if (!output_open(&output, path, format, true, &problem))
        return cli_bad_input(path, &problem);
    bool good = write_trace(&wanted, &output, &problem);
    struct problem at_close;
    if (!output_close(&output, good, &at_close) && good) {
        problem = at_close;
        good = false;
    }
    return good ? cli_finish(0) : cli_bad_output(path, &problem);
}
