#include "live_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* How pfcc, with this placement, would call the compiler underneath. */
static bool ask_pfcc(struct live_builder *b, enum tool tool, const char *placement)
{
    char question[512];
    snprintf(b->tool[tool].command, sizeof b->tool[tool].command, "%s%s%s", live_tools[tool].compiler,
             placement != NULL ? " --placement=" : "", placement != NULL ? placement : "");
    snprintf(question, sizeof question, "%s --pf-show program.c 2>/dev/null", b->tool[tool].command);
    return first_line(question, b->tool[tool].how, sizeof b->tool[tool].how);
}

static bool ask_compiler(struct live_builder *b, enum tool tool)
{
    char question[512];
    snprintf(b->tool[tool].command, sizeof b->tool[tool].command, "%s", live_tools[tool].compiler);
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

static bool is_old(const struct live_builder *b, const char *source, const char *binary, enum tool tool)
{
    char header[4096];
    snprintf(header, sizeof header, "%s/program.h", b->sources);
    return is_newer(source, binary) || is_newer(header, binary) ||
           plugin_is_newer(b->tool[tool].how, binary) || was_built_otherwise(b->tool[tool].how, binary);
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

/* In a child: builds one binary, or says that it cannot be. */
static _Noreturn void build_one(const struct live_builder *b, const char *source, const char *binary,
                                enum tool tool)
{
    char command[16384];
    bool by_pass = strstr(b->tool[tool].how, pass_option) != NULL;
    unlink(binary);
    snprintf(command, sizeof command, "%s%s -std=gnu11 -O2 -g -pthread '%s' -o '%s' -lm >'%s.log' 2>&1",
             b->tool[tool].command, b->counting && by_pass ? " -mllvm -pf-inline=false" : "", source, binary,
             binary);
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
static void start_building(const struct live_builder *b, const char *source, const char *binary,
                           enum tool tool, unsigned *running)
{
    if (*running >= (unsigned)sysconf(_SC_NPROCESSORS_ONLN))
        wait_for_one(running);
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        tool_failed("bench: no process");
    if (child == 0)
        build_one(b, source, binary, tool);
    ++*running;
}

static void build_program(const struct live_builder *b, const char *program, tool_set binaries,
                          unsigned *running)
{
    char source[4096], binary[4096];
    bool announced = false;
    snprintf(source, sizeof source, "%s/%s.c", b->sources, program);
    if (access(source, R_OK) != 0)
        tool_failed("bench: there is no %s", source);
    for (unsigned tool = 0; tool < TOOLS; tool++) {
        live_binary(b, program, (enum tool)tool, binary);
        if (!has_tool(binaries, (enum tool)tool) || !b->tool[tool].there ||
            !is_old(b, source, binary, (enum tool)tool))
            continue;
        if (!announced)
            fprintf(stderr, "building %s\n", program);
        announced = true;
        start_building(b, source, binary, (enum tool)tool, running);
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
