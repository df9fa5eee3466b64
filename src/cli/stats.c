/* photofinish stats: what a trace consists of, without analyzing it. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "cli/cli.h"
#include "replay/progress.h"
#include "report/report_json.h"
#include "trace/feasible.h"
#include "trace/reader.h"
#include "trace/show.h"

struct counts {
    uint64_t op[OP_COUNT];
    uint64_t events, inner; /* inner: nested operations on a lock that is held already */
    uint64_t *of_thread;
    size_t of_thread_capacity;
    struct mem mem;
};

static bool count_batch(struct counts *c, struct reader *reader, struct feasible *feasible,
                        struct batch *batch, struct problem *problem)
{
    struct event *e = batch->event;
    c->of_thread = mem_reserve(&c->mem, c->of_thread, sizeof *c->of_thread, &c->of_thread_capacity,
                               reader->names.of[NAME_THREAD].count);
    uint8_t op[BATCH_EVENTS];
    for (size_t i = 0; i < batch->count; i++)
        op[i] = e[i].op;
    size_t good = feasible_check(feasible, e, batch->count, problem);
    for (size_t i = 0; i < good; i++) {
        c->op[op[i]]++;
        c->inner += e[i].op != op[i];
        c->of_thread[e[i].thread]++;
    }
    c->events += good;
    if (good < batch->count)
        problem->line = batch->line[good];
    return good == batch->count;
}

static bool count_all(struct counts *c, struct reader *reader, struct problem *problem)
{
    struct batch *batch = mem_alloc(&c->mem, sizeof *batch);
    struct feasible *feasible = feasible_new(&reader->names, reader->closed_world);
    struct progress progress;
    progress_start(&progress, "counting");
    enum read_result result = READ_END;
    bool good = true;
    while (good && (result = reader_next(reader, batch)) == READ_EVENTS) {
        good = count_batch(c, reader, feasible, batch, problem);
        progress_update(&progress, reader->source->consumed, reader->source->size, c->events);
    }
    progress_end(&progress);
    /* A trace may name threads after its last event. */
    c->of_thread = mem_reserve(&c->mem, c->of_thread, sizeof *c->of_thread, &c->of_thread_capacity,
                               reader->names.of[NAME_THREAD].count);
    if (good && result == READ_BAD) {
        *problem = reader->problem;
        good = false;
    }
    feasible_free(feasible);
    mem_free(&c->mem, batch, sizeof *batch);
    return good;
}

static const struct {
    const char *word;
    enum name_class class;
} kinds[] = {{"threads", NAME_THREAD},
             {"locks", NAME_LOCK},
             {"variables", NAME_VARIABLE},
             {"volatiles", NAME_VOLATILE},
             {"barriers", NAME_BARRIER}};

static void print_text(const struct counts *c, const struct reader *reader)
{
    printf("format     %s\nevents     %" PRIu64 "\n", reader->format->name, c->events);
    for (size_t i = 0; i < array_length(kinds); i++)
        printf("%-10s %zu\n", kinds[i].word, reader->names.of[kinds[i].class].count);
    puts("\nevents by kind");
    for (size_t i = 0; i < OP_COUNT; i++)
        if (c->op[i] > 0)
            printf("  %-16s %14" PRIu64 "  %6.2f%%\n", op_word[i], c->op[i],
                   100.0 * (double)c->op[i] / (double)c->events);
    if (c->inner > 0)
        printf("  of these %" PRIu64 " on a lock that the thread held already\n", c->inner);
    puts("\nevents by thread");
    for (size_t i = 0; i < reader->names.of[NAME_THREAD].count; i++) {
        struct name name = names_get(&reader->names, NAME_THREAD, (uint32_t)i);
        fputs("  ", stdout);
        show_name_to(stdout, name, 16);
        printf(" %14" PRIu64 "  %6.2f%%\n", c->of_thread[i],
               c->events == 0 ? 0 : 100.0 * (double)c->of_thread[i] / (double)c->events);
    }
}

static void print_json(const struct counts *c, const struct reader *reader, const char *path)
{
    json_t *by_kind = json_object();
    json_t *root = json_pack("{s:s, s:s, s:o, s:s, s:I}", "tool", "photofinish", "version", PF_VERSION,
                             "trace", report_json_text((struct name){path, (uint32_t)strlen(path)}), "format",
                             reader->format->name, "events", (json_int_t)c->events);
    for (size_t i = 0; i < array_length(kinds); i++)
        json_object_set_new(root, kinds[i].word,
                            json_integer((json_int_t)reader->names.of[kinds[i].class].count));
    for (size_t i = 0; i < OP_COUNT; i++)
        if (c->op[i] > 0)
            json_object_set_new(by_kind, op_word[i], json_integer((json_int_t)c->op[i]));
    json_object_set_new(root, "events_by_kind", by_kind);
    json_object_set_new(root, "nested_lock_events", json_integer((json_int_t)c->inner));
    json_t *by_thread = json_object();
    for (size_t i = 0; i < reader->names.of[NAME_THREAD].count; i++) {
        json_t *name = report_json_text(names_get(&reader->names, NAME_THREAD, (uint32_t)i));
        json_object_set_new(by_thread, json_string_value(name), json_integer((json_int_t)c->of_thread[i]));
        json_decref(name);
    }
    json_object_set_new(root, "events_by_thread", by_thread);
    json_dumpf(root, stdout, JSON_INDENT(2));
    puts("");
    json_decref(root);
}

static int count_trace(const char *path, const struct trace_format *format, bool json, bool salvage)
{
    struct problem problem;
    struct source source;
    struct reader reader;
    struct counts counts = {0};
    if (!source_open(&source, path, false, &problem))
        return cli_bad_input(path, &problem);
    bool good = reader_open(&reader, &source, format, &problem);
    if (good) {
        reader.salvage = salvage;
        good = count_all(&counts, &reader, &problem);
        if (good && json)
            print_json(&counts, &reader, path);
        else if (good)
            print_text(&counts, &reader);
        mem_free(&counts.mem, counts.of_thread, counts.of_thread_capacity * sizeof *counts.of_thread);
        reader_close(&reader);
    }
    source_close(&source);
    return good ? cli_finish(0) : cli_bad_input(path, &problem);
}

int command_stats(int argc, char **argv)
{
    const char *format_name = "auto";
    bool json = false, salvage = false;
    const struct cli_option options[] = {
        {"format", "F", "auto (default), std, rr, csv or pft", OPTION_TEXT, &format_name},
        {"json", NULL, "one JSON object instead of text", OPTION_FLAG, &json},
        {"salvage", NULL, "take what is whole of a truncated or damaged .pft", OPTION_FLAG, &salvage},
    };
    const struct cli_command command = {
        .name = "stats",
        .arguments = "TRACE",
        .about = "Count what a trace consists of; TRACE - is standard input",
        .more = "What the rules of a detector did with a trace: photofinish analyze --stats TRACE.\n",
        .options = options,
        .option_count = array_length(options),
        .least_operands = 1,
        .most_operands = 1,
    };
    int operands, exit_code;
    if (!cli_parse(&command, argc, argv, &operands, &exit_code))
        return exit_code;
    const struct trace_format *format;
    if (!cli_trace_format(&command, format_name, &format))
        return EXIT_BAD_INPUT;
    return count_trace(argv[0], format, json, salvage);
}
