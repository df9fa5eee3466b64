/* photofinish convert: the same trace in another format. Infeasible traces are refused, not passed on. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "replay/progress.h"
#include "trace/feasible.h"
#include "trace/reader.h"

struct conversion {
    struct reader reader;
    struct output output;
    struct feasible *feasible;
    bool writing_failed;
    struct batch batch;
    struct event checked[BATCH_EVENTS]; /* the feasibility check changes events; the copy is for it */
};

/* What is wrong with the input is told by *place = IN, with the output by OUT. */
static bool convert_batch(struct conversion *c, const char **place, struct problem *problem)
{
    struct batch *batch = &c->batch;
    memcpy(c->checked, batch->event, batch->count * sizeof *batch->event);
    size_t good = feasible_check(c->feasible, c->checked, batch->count, problem);
    if (good < batch->count) {
        problem->line = batch->line[good];
        *place = c->reader.source->name;
        return false;
    }
    *place = c->output.path;
    c->writing_failed = !output_put(&c->output, &c->reader.names, batch->event, batch->count, problem);
    return !c->writing_failed;
}

static bool convert_all(struct conversion *c, const char **place, struct problem *problem)
{
    struct progress progress;
    progress_start(&progress, "converting");
    enum read_result result = READ_END;
    bool good = true;
    while (good && (result = reader_next(&c->reader, &c->batch)) == READ_EVENTS) {
        good = convert_batch(c, place, problem);
        progress_update(&progress, c->reader.source->consumed, c->reader.source->size, c->reader.events);
    }
    progress_end(&progress);
    if (good && result == READ_BAD) {
        *problem = c->reader.problem;
        *place = c->reader.source->name;
        return false;
    }
    return good;
}

static bool convert_opened(struct conversion *c, const char *out, const struct writer_format *to,
                           const char **place, struct problem *problem)
{
    *place = out;
    if (!output_open(&c->output, out, to, c->reader.closed_world, problem))
        return false;
    c->feasible = feasible_new(&c->reader.names, c->reader.closed_world);
    bool good = convert_all(c, place, problem);
    struct problem at_close;
    if (!output_close(&c->output, good, &at_close) && good) {
        *problem = at_close;
        *place = out;
        c->writing_failed = true;
        good = false;
    }
    feasible_free(c->feasible);
    return good;
}

int convert_trace(const char *in, const char *out, const struct trace_format *from,
                  const struct writer_format *to, bool salvage)
{
    struct problem problem;
    struct source source;
    const char *place = in;
    struct mem mem = {0};
    struct conversion *c = mem_alloc(&mem, sizeof *c);
    bool good = source_open(&source, in, false, &problem);
    if (good) {
        good = reader_open(&c->reader, &source, from, &problem);
        if (good) {
            c->reader.salvage = salvage;
            good = convert_opened(c, out, to, &place, &problem);
            if (good && c->reader.salvaged_lost > 0)
                fprintf(stderr,
                        "photofinish: %s:%" PRIu64
                        ": the rest of the trace is damaged; kept what is before\n",
                        in, c->reader.events + 1);
            reader_close(&c->reader);
        }
        source_close(&source);
    }
    bool writing_failed = c->writing_failed;
    mem_free(&mem, c, sizeof *c);
    if (good)
        return cli_finish(0);
    return writing_failed ? cli_bad_output(place, &problem) : cli_bad_input(place, &problem);
}

int command_convert(int argc, char **argv)
{
    const char *from_name = "auto", *to_name = NULL;
    bool salvage = false;
    const struct cli_option options[] = {
        {"from", "F", "format of IN: auto (default), std, rr, csv or pft", OPTION_TEXT, &from_name},
        {"to", "F", "format of OUT: std or pft (default: by its ending; std for -)", OPTION_TEXT, &to_name},
        {"salvage", NULL, "take what is whole of a truncated or damaged .pft", OPTION_FLAG, &salvage},
    };
    const struct cli_command command = {
        .name = "convert",
        .arguments = "IN OUT",
        .about = "Turn a trace into another format; - is standard input or output",
        .more = "OUT appears only when it is whole; comments are not carried over.\n\n"
                "Exit status: 0 done, 2 bad usage or bad input.\n",
        .options = options,
        .option_count = array_length(options),
        .least_operands = 2,
        .most_operands = 2,
    };
    int operands, exit_code;
    if (!cli_parse(&command, argc, argv, &operands, &exit_code))
        return exit_code;
    const struct trace_format *from;
    if (!cli_trace_format(&command, from_name, &from))
        return EXIT_BAD_INPUT;
    const struct writer_format *to = to_name == NULL ? NULL : writer_format_named(to_name);
    if (to_name != NULL && to == NULL)
        return cli_bad_usage("convert: cannot write format '%s' (std, pft)", to_name);
    return convert_trace(argv[0], argv[1], from, to, salvage);
}
