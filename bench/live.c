/* What a running program costs under each tool (bench/live): builds the programs, measures the cells, and
 * prints and writes what came out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "live_charts.h"
#include "live_compile.h"
#include "live_count.h"
#include "live_options.h"
#include "live_results.h"
#include "live_scaling.h"
#include "live_tables.h"

enum { MOST_THREAD_NUMBERS = 16 };

static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* Without --only, all but those for the scaling plots; every name in the lists must be known. */
static size_t choose(const struct programs *all, const struct live_options *o, const struct program **chosen)
{
    size_t count = 0;
    char *names = o->only != NULL ? strdup(o->only) : NULL;
    for (char *name = names != NULL ? strtok(names, ",") : NULL; name != NULL; name = strtok(NULL, ","))
        programs_find(all, name);
    free(names);
    for (size_t i = 0; i < all->count; i++) {
        const struct program *p = &all->program[i];
        if (o->only != NULL    ? is_listed(o->only, p->name)
            : o->group != NULL ? is_listed(o->group, p->group)
                               : strcmp(p->group, GROUP_SCALING) != 0)
            chosen[count++] = p;
    }
    if (count == 0)
        tool_failed("bench: no such programs");
    return count;
}

/* Every program with every number of threads in the list, among the results. */
static size_t make_cells(struct cells *results, const struct program *const *program, size_t programs,
                         const char *threads, struct cell ***chosen)
{
    unsigned number[MOST_THREAD_NUMBERS], numbers = 0;
    for (const char *at = threads; at != NULL && numbers < MOST_THREAD_NUMBERS;
         at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL)
        if ((number[numbers++] = (unsigned)atoi(at)) == 0)
            tool_failed("bench: '%s' is no list of numbers of threads", threads);
    size_t count = programs * numbers;
    for (size_t i = 0; i < count; i++) /* all first: adding one moves the others */
        results_cell(results, program[i / numbers], number[i % numbers]);
    *chosen = calloc(count, sizeof **chosen);
    require(*chosen != NULL);
    for (size_t i = 0; i < count; i++)
        (*chosen)[i] = results_cell(results, program[i / numbers], number[i % numbers]);
    return count;
}

/* pfcc of this build comes first. */
static void put_first_in_path(const char *build)
{
    char *path;
    if (asprintf(&path, "%s/bin:%s", build, getenv("PATH")) < 0)
        tool_failed("bench: no memory");
    setenv("PATH", path, 1);
    free(path);
}

struct saving {
    const struct cells *results;
    const char *out;
};

/* What was measured is there even if the rest never is. */
static void save(void *context)
{
    const struct saving *saving = context;
    results_save(saving->results, saving->out);
}

struct folders {
    char list[4096], sources[4096], binaries[4096], logs[4096], counting[4096];
};

static void make_folders(struct folders *f, const char *root, const char *build, const char *out, bool real)
{
    const char *programs = real ? "real" : "programs";
    snprintf(f->sources, sizeof f->sources, "%s/bench/%s", root, programs);
    snprintf(f->list, sizeof f->list, "%s/bench/%s/list", root, programs);
    snprintf(f->binaries, sizeof f->binaries, "%s/programs", out);
    snprintf(f->logs, sizeof f->logs, "%s/live-logs", out);
    snprintf(f->counting, sizeof f->counting, "%s/lib/photofinish-count", build);
    mkdir(f->binaries, 0777);
    mkdir(f->logs, 0777);
}

/* All that the ways to measure share. */
struct session {
    struct live_options options;
    struct folders folders;
    struct programs programs;
    struct live_builder builder;
    struct measuring measuring;
    const char *out;
    const struct program *without_source[MOST_PROGRAMS];
    size_t without_sources;
};

static void begin(struct session *s, const char *out, int count, char **arguments)
{
    double began = cells_clock();
    struct live_options *o = &s->options;
    *o = live_options_read(count + 1, arguments - 1); /* getopt's [0] is a name */
    s->out = out;
    make_folders(&s->folders, o->root, o->build, out, o->real);
    put_first_in_path(o->build);
    programs_read(&s->programs, s->folders.list);
    live_builder_begin(&s->builder, s->folders.sources, s->folders.binaries);
    s->builder.recipes = o->real ? s->folders.sources : NULL;
    s->builder.build = o->build;
    s->measuring = (struct measuring){.builder = &s->builder,
                                      .tools = o->tools,
                                      .kernel_tools = o->kernel_tools,
                                      .runs = o->runs,
                                      .timeout_seconds = o->timeout_seconds,
                                      .logs = s->folders.logs,
                                      .budget_end = o->budget_seconds > 0 ? began + o->budget_seconds : 0};
}

/* Keeps those real programs whose source is there. Returns how many. */
static size_t fetch(struct session *s, const struct program **program, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (live_fetch(&s->builder, program[i]->name))
            program[kept++] = program[i];
        else
            s->without_source[s->without_sources++] = program[i];
    return kept;
}

/* Builds what was asked for until each has been built as often as it would be run; the tools take turns. */
static void compile(struct session *s)
{
    const struct program *program[MOST_PROGRAMS];
    size_t programs = fetch(s, program, choose(&s->programs, &s->options, program));
    for (s->builder.builds = 1; s->builder.builds <= s->options.runs; s->builder.builds++)
        live_build(&s->builder, program, programs, s->measuring.tools);
}

/* What was asked for: programs, and cells of them. */
struct chosen {
    const struct program *program[MOST_PROGRAMS];
    struct cell **cell;
    size_t programs, cells;
};

/* What only the kernels need: binaries of further tools, and how many checks each placement makes. */
static void prepare_kernels(struct session *s, const struct chosen *all)
{
    const struct program *kernel[MOST_PROGRAMS];
    tool_set tools = s->options.tools | s->options.kernel_tools;
    tool_set counted = live_checks_tools(tools, s->options.budget_seconds > 0);
    size_t kernels = 0;
    for (size_t i = 0; i < all->programs; i++)
        if (strcmp(all->program[i]->group, GROUP_KERNELS) == 0)
            kernel[kernels++] = all->program[i];
    live_build(&s->builder, kernel, kernels, s->options.kernel_tools);
    if (!has_tool(tools, FASTTRACK))
        return;
    s->builder.counting = true;
    live_build(&s->builder, kernel, kernels, counted);
    live_count_checks(&s->measuring, all->cell, all->cells, counted, s->folders.counting);
    s->builder.counting = false;
}

/* True: a run failed. */
static bool count_only(struct session *s, const struct chosen *all)
{
    s->builder.counting = true;
    s->measuring.tools = live_count_tools(s->options.tools);
    live_build(&s->builder, all->program, all->programs, s->measuring.tools);
    return live_count(&s->measuring, all->cell, all->cells, s->folders.counting, s->out);
}

/* True: something of ours failed. */
static bool measure(struct session *s, const struct chosen *all, struct cells *results)
{
    struct saving saving = {results, s->out};
    live_build(&s->builder, all->program, all->programs, s->options.tools);
    prepare_kernels(s, all);
    measure_starts(&s->measuring);
    cells_measure(&s->measuring, all->cell, all->cells, save, &saving);
    return cells_ours_failed(results);
}

/* Builds what was asked for, and either counts or measures it. True: something of ours failed. */
static bool work(struct session *s, struct cells *results)
{
    struct chosen all;
    all.programs = choose(&s->programs, &s->options, all.program);
    if (s->options.real)
        all.programs = fetch(s, all.program, all.programs);
    all.cells = make_cells(results, all.program, all.programs, s->options.threads, &all.cell);
    bool failed = s->options.count ? count_only(s, &all) : measure(s, &all, results);
    free(all.cell);
    return failed;
}

static void show_compile(const struct session *s, const struct compile_times *times)
{
    live_print_compile(times, s->out);
    for (size_t i = 0; i < s->without_sources; i++)
        printf("\nLeft out: %s, whose source cannot be had (see %s/real/%s/fetch.log)\n",
               s->without_source[i]->name, s->options.build, s->without_source[i]->name);
}

static void show(const struct session *s, const struct cells *results, const struct compile_times *times)
{
    struct machine machine = machine_learn(&s->builder);
    results_write_json(results, times, &machine, s->out);
    live_write_charts(results, s->out);
    machine_print(&machine);
    live_print_tables(results, cells_tools(results), s->out);
    live_print_aims(results);
    show_compile(s, times);
    printf("\nIn %s: live.csv, live.json, live.svg and one chart a group\n", s->out);
}

int bench_live(const char *out, int count, char **arguments)
{
    static struct session session;
    static struct compile_times times;
    struct cells results = {0};
    begin(&session, out, count, arguments);
    if (session.options.scaling)
        return live_scaling(&session.measuring, &session.programs, out);
    if (session.options.compile) {
        compile(&session);
        compile_times_read(&times, &session.builder, &session.programs);
        show_compile(&session, &times);
        return 0;
    }
    if (session.options.update || session.options.show)
        results_load(&results, &session.programs, out);
    bool failed = !session.options.show && work(&session, &results);
    compile_times_read(&times, &session.builder, &session.programs);
    if (!session.options.count)
        show(&session, &results, &times);
    free(results.cell);
    return failed;
}
