#include "live_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* A quick run fits into five minutes with what is around it. */
enum { QUICK_BUDGET = 200, QUICK_RUNS = 3, REAL_TIMEOUT = 600 };

static const char usage[] =
    "Usage: bench/live [--quick] [--only LIST] [--group LIST] [--threads LIST] [--tools LIST] [--runs N] "
    "[--update] ...\n"
    "\n"
    "Builds the programs of bench/programs at -O2 -g for every tool, runs them in turns, and prints for each "
    "program and\n"
    "number of threads CPU time, wall time and peak memory as multiples of the plain build's, ours as a part "
    "of TSan's,\n"
    "and the number of races told (the programs have none). A run that crashes, takes too long or gives a "
    "wrong result is\n"
    "shown as such. Tools under Valgrind get a smaller size, and are measured against the plain program with "
    "that size.\n"
    "\n"
    "  --quick            --threads 4 --runs 3 --budget 200, and the tools of the thesis' tables for the "
    "kernels only\n"
    "  --only LIST        these programs only\n"
    "  --group LIST       the programs of these groups only\n"
    "  --threads LIST     numbers of threads (default: 2,4,16)\n"
    "  --tools LIST       these tools only, and the plain builds that they are measured against\n"
    "  --runs N           runs of each, 1 to 9; the median counts (default: 5)\n"
    "  --budget SECONDS   fewer runs, down to one, where they would take longer than this\n"
    "  --timeout SECONDS  of CPU time for one run (default: 60), and five times that in all\n"
    "  --update           put what is measured now into the results of the last run, and print all of them\n"
    "  --show             print the results of the last run, measure nothing\n"
    "  --scaling          instead: plots for 1 to 16 threads, 1 MiB to 1 GiB of memory, 1 to 1,000,000 "
    "mutexes\n"
    "  --real             instead: real programs from Debian's source packages (bench/real/list), fetched "
    "and built "
    "here,\n"
    "                     with --threads 4 --runs 3 --timeout 600 and no placement between `every` and "
    "bigfoot\n"
    "  --compile          with --real: only build, each --runs times, and tell how long it took\n"
    "  --count            instead: one run each with a runtime that counts what it does, to explain a slow "
    "cell\n"
    "  --build DIR        where the build is (default: build, next to this folder)\n"
    "  --help             this text\n"
    "\n"
    "One cell again: bench/live --update --only table --threads 16 --tools clang-tsan,clang-ours\n"
    "\n"
    "Go by CPU time where the machine has other work to do. DIR/bench gets all as text, CSV, JSON and SVG, "
    "and in\n"
    "live-logs the output of runs that failed or told races.\n"
    "\n"
    "Tools:";

static _Noreturn void show_usage(FILE *to, int status)
{
    fputs(usage, to);
    for (unsigned tool = 0; tool < TOOLS; tool++)
        fprintf(to, " %s", live_tools[tool].name);
    fputc('\n', to);
    exit(status);
}

static unsigned number(const char *text, unsigned least, unsigned most)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < least || value > most)
        tool_failed("bench: %s is not a number from %u to %u", text, least, most);
    return (unsigned)value;
}

enum {
    ROOT,
    BUILD,
    QUICK,
    ONLY,
    GROUP,
    THREADS,
    TOOL_LIST,
    RUNS,
    BUDGET,
    TIMEOUT,
    UPDATE,
    SHOW,
    SCALING,
    REAL,
    COMPILE,
    COUNT,
    HELP
};

static const struct option known[] = {
    {"root", required_argument, NULL, ROOT},
    {"build", required_argument, NULL, BUILD},
    {"quick", no_argument, NULL, QUICK},
    {"only", required_argument, NULL, ONLY},
    {"group", required_argument, NULL, GROUP},
    {"threads", required_argument, NULL, THREADS},
    {"tools", required_argument, NULL, TOOL_LIST},
    {"runs", required_argument, NULL, RUNS},
    {"budget", required_argument, NULL, BUDGET},
    {"timeout", required_argument, NULL, TIMEOUT},
    {"update", no_argument, NULL, UPDATE},
    {"show", no_argument, NULL, SHOW},
    {"scaling", no_argument, NULL, SCALING},
    {"real", no_argument, NULL, REAL},
    {"compile", no_argument, NULL, COMPILE},
    {"count", no_argument, NULL, COUNT},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

static char four[] = "4";

/* What options after it do not say otherwise. */
static void choose_real(struct live_options *o)
{
    o->real = true;
    o->threads = four;
    o->runs = QUICK_RUNS;
    o->timeout_seconds = REAL_TIMEOUT;
    o->kernel_tools = 0;
    o->tools = tools_all() & ~tools_of_thesis();
}

static void quicken(struct live_options *o)
{
    o->threads = four;
    o->runs = QUICK_RUNS;
    o->budget_seconds = QUICK_BUDGET;
    o->tools = tools_all() & ~tools_of_thesis();
    o->kernel_tools = tools_of_thesis();
}

static void take(struct live_options *o, int option, char *argument)
{
    switch (option) {
    case ROOT:
        o->root = argument;
        break;
    case BUILD:
        o->build = argument;
        break;
    case QUICK:
        quicken(o);
        break;
    case ONLY:
        o->only = argument;
        break;
    case GROUP:
        o->group = argument;
        break;
    case THREADS:
        o->threads = argument;
        break;
    case TOOL_LIST:
        o->tools = tools_named(argument);
        o->kernel_tools = 0;
        break;
    case RUNS:
        o->runs = number(argument, 1, MOST_RUNS);
        break;
    case BUDGET:
        o->budget_seconds = number(argument, 1, 1000000);
        break;
    case TIMEOUT:
        o->timeout_seconds = number(argument, 1, 100000);
        break;
    case UPDATE:
        o->update = true;
        break;
    case SHOW:
        o->show = true;
        break;
    case SCALING:
        o->scaling = true;
        break;
    case REAL:
        choose_real(o);
        break;
    case COMPILE:
        o->compile = true;
        break;
    case COUNT:
        o->count = true;
        break;
    case HELP:
        show_usage(stdout, 0);
    default:
        show_usage(stderr, 2);
    }
}

struct live_options live_options_read(int count, char **arguments)
{
    static char usual_threads[] = "2,4,16";
    struct live_options o = {.root = ".",
                             .build = "build",
                             .threads = usual_threads,
                             .tools = tools_all(),
                             .runs = 5,
                             .timeout_seconds = 60};
    optind = 0;
    for (int option; (option = getopt_long(count, arguments, "", known, NULL)) >= 0;)
        take(&o, option, optarg);
    if (optind < count || (o.compile && !o.real))
        show_usage(stderr, 2);
    return o;
}
