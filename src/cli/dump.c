/* photofinish dump: the events of a trace for people to read, one a line. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "trace/reader.h"
#include "trace/show.h"

struct dump {
    struct reader reader;
    struct batch batch;
    uint64_t first, last; /* events to show */
};

static void put_event(const struct dump *d, uint64_t number, const struct event *e)
{
    const struct names *names = &d->reader.names;
    char digits[16];
    struct name location = names_location(names, e->location, digits);
    printf("%8" PRIu64 "  ", number);
    show_name_to(stdout, names_get(names, NAME_THREAD, e->thread), 4);
    printf(" %s", op_word[e->op]);
    if (e->target != NO_TARGET) {
        putchar(' ');
        show_name_to(stdout, names_get(names, op_operand[e->op], e->target), 0);
    }
    if (location.length > 0) {
        fputs("  at ", stdout);
        show_name_to(stdout, location, 0);
    }
    putchar('\n');
}

static bool dump_all(struct dump *d, struct problem *problem)
{
    enum read_result result;
    while ((result = reader_next(&d->reader, &d->batch)) == READ_EVENTS && d->batch.first <= d->last)
        for (size_t i = 0; i < d->batch.count; i++)
            if (d->batch.first + i >= d->first && d->batch.first + i <= d->last)
                put_event(d, d->batch.first + i, &d->batch.event[i]);
    if (result == READ_BAD)
        *problem = d->reader.problem;
    return result != READ_BAD;
}

static int dump(struct dump *d, const char *path, const struct trace_format *format, bool salvage)
{
    struct problem problem;
    struct source source;
    bool good = source_open(&source, path, false, &problem);
    if (!good)
        return cli_bad_input(path, &problem);
    good = reader_open(&d->reader, &source, format, &problem);
    if (good) {
        d->reader.salvage = salvage;
        good = dump_all(d, &problem);
        if (good && d->reader.salvaged_lost > 0)
            fprintf(stderr, "photofinish: %s:%" PRIu64 ": the rest of the trace is damaged\n", path,
                    d->reader.events + 1);
        reader_close(&d->reader);
    }
    source_close(&source);
    return good ? cli_finish(0) : cli_bad_input(path, &problem);
}

int command_dump(int argc, char **argv)
{
    const char *format_name = "auto";
    uint64_t first = 1, last = UINT64_MAX;
    bool salvage = false;
    const struct cli_option options[] = {
        {"first", "N", "begin with event N", OPTION_NUMBER, &first},
        {"last", "N", "end with event N", OPTION_NUMBER, &last},
        {"format", "F", "auto (default), std, rr, csv or pft", OPTION_TEXT, &format_name},
        {"salvage", NULL, "take what is whole of a truncated or damaged .pft", OPTION_FLAG, &salvage},
    };
    const struct cli_command command = {
        .name = "dump",
        .arguments = "TRACE",
        .about =
            "Print the events of a trace, one a line: number, thread, operation, where; - is standard input",
        .more = "Operations are those of docs/formats.md. photofinish convert TRACE - prints what programs "
                "can read.\n\n"
                "Exit status: 0 done, 2 bad usage or bad input.\n",
        .options = options,
        .option_count = array_length(options),
        .least_operands = 1,
        .most_operands = 1,
    };
    int operands, exit_code;
    const struct trace_format *format;
    if (!cli_parse(&command, argc, argv, &operands, &exit_code))
        return exit_code;
    if (!cli_trace_format(&command, format_name, &format))
        return EXIT_BAD_INPUT;
    static struct dump d;
    d.first = first;
    d.last = last;
    return dump(&d, argv[0], format, salvage);
}
