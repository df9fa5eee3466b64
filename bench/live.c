/* What a running program costs under each tool (bench/live): builds the programs, measures the cells, and
 * prints and writes what came out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "live_options.h"
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

/* Every program with every number of threads in the list. */
static struct cells make_cells(const struct program *const *program, size_t programs, char *threads)
{
    unsigned number[MOST_THREAD_NUMBERS], numbers = 0;
    for (char *next = strtok(threads, ","); next != NULL && numbers < MOST_THREAD_NUMBERS;
         next = strtok(NULL, ",")) {
        number[numbers] = (unsigned)atoi(next);
        if (number[numbers++] == 0)
            tool_failed("bench: '%s' is no number of threads", next);
    }
    struct cells cells = {.count = programs * numbers};
    cells.cell = calloc(cells.count, sizeof *cells.cell);
    require(cells.cell != NULL);
    for (size_t i = 0; i < cells.count; i++) {
        cells.cell[i].program = program[i / numbers];
        cells.cell[i].threads = number[i % numbers];
    }
    return cells;
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

/* Nothing of ours may be wrong or tell a race; that it is missing is no failure. */
static bool ours_failed(const struct cells *cells)
{
    bool failed = false;
    for (size_t i = 0; i < cells->count; i++)
        for (unsigned tool = 0; tool < TOOLS; tool++) {
            const struct outcome *o = &cells->cell[i].of[tool];
            bool fine = o->verdict == RUN_NONE || o->verdict == RUN_MISSING ||
                        (o->verdict == RUN_RIGHT && o->races == 0);
            failed |= live_tools[tool].ours && !fine;
        }
    return failed;
}

int bench_live(const char *out, int count, char **arguments)
{
    double began = cells_clock();
    struct live_options o = live_options_read(count + 1, arguments - 1); /* getopt's [0] is a name */
    struct programs *programs = calloc(1, sizeof *programs);
    struct live_builder *builder = calloc(1, sizeof *builder);
    const struct program *chosen[MOST_PROGRAMS];
    char list[4096], sources[4096], binaries[4096], logs[4096];
    require(programs != NULL && builder != NULL);
    snprintf(sources, sizeof sources, "%s/bench/programs", o.root);
    snprintf(list, sizeof list, "%s/bench/programs/list", o.root);
    snprintf(binaries, sizeof binaries, "%s/programs", out);
    snprintf(logs, sizeof logs, "%s/live-logs", out);
    mkdir(binaries, 0777);
    mkdir(logs, 0777);
    put_first_in_path(o.build);
    programs_read(programs, list);
    size_t program_count = choose(programs, &o, chosen);
    struct cells cells = make_cells(chosen, program_count, o.threads);
    live_builder_begin(builder, sources, binaries);
    live_build(builder, chosen, program_count, o.tools);
    struct measuring measuring = {.builder = builder,
                                  .tools = o.tools,
                                  .runs = o.runs,
                                  .timeout_seconds = o.timeout_seconds,
                                  .logs = logs,
                                  .budget_end = o.budget_seconds > 0 ? began + o.budget_seconds : 0};
    measure_starts(&measuring);
    cells_measure(&measuring, &cells);
    live_print_tables(&cells, o.tools, out);
    live_print_aims(&cells);
    bool failed = ours_failed(&cells);
    free(cells.cell);
    free(builder);
    free(programs);
    return failed;
}
