#include "live_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

/* In a command of pfcc's that places checks with our pass. */
static const char pass_option[] = "-fpass-plugin=";

/* --- is the tool there? --- */

/* What the command prints, up to its first newline; false: it failed. */
static bool first_line(const char *command, char *line, size_t room)
{
    FILE *pipe = popen(command, "r");
    if (pipe == NULL)
        tool_failed("bench: cannot run a command");
    char waste[4096];
    *line = '\0';
    if (fgets(line, (int)room, pipe) != NULL)
        line[strcspn(line, "\n")] = '\0';
    while (fgets(waste, sizeof waste, pipe) != NULL) {
    }
    return pclose(pipe) == 0;
}

/* The commands of a tool that compile C and C++. */
static void set_commands(struct live_builder *b, enum tool tool, const char *placement)
{
    const char *option = placement != NULL ? " --placement=" : "";
    placement = placement != NULL ? placement : "";
    snprintf(b->tool[tool].command, sizeof b->tool[tool].command, "%s%s%s", live_tools[tool].compiler, option,
             placement);
    snprintf(b->tool[tool].cxx, sizeof b->tool[tool].cxx, "%s%s%s", live_tools[tool].cxx, option, placement);
}

/* How pfcc, with this placement, would call the compiler underneath. */
static bool ask_pfcc(struct live_builder *b, enum tool tool, const char *placement)
{
    char question[512];
    set_commands(b, tool, placement);
    snprintf(question, sizeof question, "%s --pf-show program.c 2>/dev/null", b->tool[tool].command);
    return first_line(question, b->tool[tool].how, sizeof b->tool[tool].how);
}

static bool ask_compiler(struct live_builder *b, enum tool tool)
{
    char question[512];
    set_commands(b, tool, NULL);
    snprintf(question, sizeof question, "%s --version 2>/dev/null", live_tools[tool].compiler);
    return first_line(question, b->tool[tool].how, sizeof b->tool[tool].how);
}

static bool ask(struct live_builder *b, enum tool tool)
{
    const struct live_tool *t = &live_tools[tool];
    if (t->compiler == NULL)
        return true; /* runs another's binary */
    if (!t->ours)
        return ask_compiler(b, tool);
    if (ask_pfcc(b, tool, t->placement))
        return true;
    /* A pfcc without the option has the one placement. */
    return t->placement != NULL && strcmp(t->placement, "every") == 0 && ask_pfcc(b, tool, NULL);
}

void live_builder_begin(struct live_builder *b, const char *sources, const char *binaries)
{
    *b = (struct live_builder){.sources = sources, .binaries = binaries};
    for (unsigned tool = 0; tool < TOOLS; tool++)
        b->tool[tool].there = ask(b, (enum tool)tool);
}

/* --- is the binary old? --- */

void live_binary(const struct live_builder *b, const char *program, enum tool tool, char path[4096])
{
    snprintf(path, 4096, "%s/%s.%s%s", b->binaries, program, live_tools[tool].name,
             b->counting ? "-count" : "");
}

/* No file at all is the oldest. */
static bool is_newer(const char *file, const char *than)
{
    struct stat a, b;
    if (stat(file, &a) != 0)
        return false;
    if (stat(than, &b) != 0)
        return true;
    return a.st_mtim.tv_sec != b.st_mtim.tv_sec ? a.st_mtim.tv_sec > b.st_mtim.tv_sec
                                                : a.st_mtim.tv_nsec > b.st_mtim.tv_nsec;
}

static bool plugin_is_newer(const char *how, const char *binary)
{
    char plugin[4096];
    const char *found = strstr(how, pass_option);
    return found != NULL && sscanf(found + sizeof pass_option - 1, "%4095s", plugin) == 1 &&
           is_newer(plugin, binary);
}

/* BINARY.how has how it was built. */
static bool was_built_otherwise(const char *how, const char *binary)
{
    char path[4200], before[4096] = "";
    snprintf(path, sizeof path, "%s.how", binary);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return true;
    if (fgets(before, sizeof before, file) != NULL)
        before[strcspn(before, "\n")] = '\0';
    fclose(file);
    return strcmp(before, how) != 0;
}

/* What a program is made of, as far as we wrote it: its source comes first. */
enum { MOST_PARTS = 4 };
struct parts {
    char file[MOST_PARTS][4096];
    unsigned count;
};

static struct parts parts_of(const struct live_builder *b, const char *program)
{
    struct parts p = {0};
    if (b->recipes != NULL) {
        snprintf(p.file[p.count++], sizeof *p.file, "%s/%s.sh", b->recipes, program);
        snprintf(p.file[p.count++], sizeof *p.file, "%s/%s.c", b->recipes, program);
        snprintf(p.file[p.count++], sizeof *p.file, "%s/%s.cc", b->recipes, program);
        snprintf(p.file[p.count++], sizeof *p.file, "%s/../../tests/real/%s.sh", b->recipes, program);
    } else {
        snprintf(p.file[p.count++], sizeof *p.file, "%s/%s.c", b->sources, program);
        snprintf(p.file[p.count++], sizeof *p.file, "%s/program.h", b->sources);
    }
    return p;
}

static bool is_old(const struct live_builder *b, const struct parts *parts, const char *binary,
                   enum tool tool)
{
    for (unsigned i = 0; i < parts->count; i++)
        if (is_newer(parts->file[i], binary))
            return true;
    return plugin_is_newer(b->tool[tool].how, binary) || was_built_otherwise(b->tool[tool].how, binary);
}

/* --- building --- */

static void write_how(const char *how, const char *binary)
{
    char path[4200];
    snprintf(path, sizeof path, "%s.how", binary);
    FILE *file = fopen(path, "we");
    if (file == NULL || fprintf(file, "%s\n", how) < 0 || fclose(file) != 0)
        tool_failed("bench: cannot write %s", path);
}

bool live_fetch(const struct live_builder *b, const char *program)
{
    char command[16384];
    snprintf(command, sizeof command, "'%s/build' '%s' %s", b->recipes, b->build, program);
    return system(command) == 0;
}

/* In a child: builds one binary, or says that it cannot be. */
static _Noreturn void build_one(const struct live_builder *b, const char *program, const char *source,
                                const char *binary, enum tool tool)
{
    char command[20000];
    const char *option = b->counting && live_tools[tool].ours ? " --pf-calls" : "";
    unlink(binary);
    if (b->recipes != NULL)
        snprintf(command, sizeof command, "'%s/build' '%s' %s '%s' '%s%s' '%s%s' >'%s.log' 2>&1", b->recipes,
                 b->build, program, binary, b->tool[tool].command, option, b->tool[tool].cxx, option, binary);
    else
        snprintf(command, sizeof command, "%s%s -std=gnu11 -O2 -g -pthread '%s' -o '%s' -lm >'%s.log' 2>&1",
                 b->tool[tool].command, option, source, binary, binary);
    if (system(command) != 0)
        fprintf(stderr, "bench: cannot build %s; see %s.log\n", binary, binary);
    write_how(b->tool[tool].how, binary);
    fflush(NULL);
    _exit(0);
}

static void wait_for_one(unsigned *running)
{
    int status;
    if (wait(&status) > 0)
        --*running;
}

/* Helgrind and DRD run the plain program. */
static tool_set whose_binaries(tool_set tools)
{
    tool_set set = 0;
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (has_tool(tools, (enum tool)tool))
            set |= (tool_set)1 << live_tools[tool].binary;
    return set;
}

/* As many at a time as there are processors. */
static void start_building(const struct live_builder *b, const char *program, const char *source,
                           const char *binary, enum tool tool, unsigned *running)
{
    if (*running >= (unsigned)sysconf(_SC_NPROCESSORS_ONLN))
        wait_for_one(running);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        tool_failed("bench: no process");
    if (child == 0)
        build_one(b, program, source, binary, tool);
    ++*running;
}

/* Lines that there is no room for are left out. */
double live_build_seconds(const char *binary, unsigned *builds)
{
    char path[4200];
    double sample[MOST_RUNS];
    snprintf(path, sizeof path, "%s.seconds", binary);
    FILE *file = fopen(path, "re");
    *builds = 0;
    while (file != NULL && *builds < MOST_RUNS && fscanf(file, "%lf", &sample[*builds]) == 1)
        ++*builds;
    if (file != NULL)
        fclose(file);
    return *builds > 0 ? measure_median(sample, *builds) : (double)NAN;
}

static bool wants_another(const struct live_builder *b, const char *binary)
{
    unsigned builds = 0;
    if (b->builds > 0)
        live_build_seconds(binary, &builds);
    return builds < b->builds;
}

/* What an older one took to build. */
static void forget_seconds(const char *binary)
{
    char path[4200];
    snprintf(path, sizeof path, "%s.seconds", binary);
    unlink(path);
}

static void build_program(const struct live_builder *b, const char *program, tool_set binaries,
                          unsigned *running)
{
    char binary[4096];
    const struct parts parts = parts_of(b, program);
    bool announced = false;
    if (access(parts.file[0], R_OK) != 0)
        tool_failed("bench: there is no %s", parts.file[0]);
    for (unsigned tool = 0; tool < TOOLS; tool++) {
        live_binary(b, program, (enum tool)tool, binary);
        if (!has_tool(binaries, (enum tool)tool) || !b->tool[tool].there)
            continue;
        bool old = is_old(b, &parts, binary, (enum tool)tool);
        if (!old && !wants_another(b, binary))
            continue;
        if (old)
            forget_seconds(binary);
        if (b->recipes != NULL)
            fprintf(stderr, "building %s (%s)\n", program, live_tools[tool].name);
        else if (!announced)
            fprintf(stderr, "building %s\n", program);
        announced = true;
        start_building(b, program, parts.file[0], binary, (enum tool)tool, running);
    }
}

void live_build(const struct live_builder *b, const struct program *const *programs, size_t count,
                tool_set tools)
{
    unsigned running = 0;
    for (size_t i = 0; i < count; i++)
        build_program(b, programs[i]->name, whose_binaries(tools), &running);
    while (running > 0)
        wait_for_one(&running);
}
