/* Builds the benchmark programs for every tool: BINARIES/PROGRAM.TOOL. That of a real program is a launcher,
 * which a script of bench/real makes when it has built the program.
 *
 * A binary is kept until its source and what belongs to it, the compiler's version or command, or the
 * compiler plug-in in that command is a newer one. Our runtime is a shared library: a new one needs no new
 * binary. A tool whose compiler is not there, or which pfcc refuses to build for (it exits with 64 where it
 * does not know a placement), has no binaries; the tables say "missing".
 */
#pragma once

#include "live_programs.h"
#include "live_tools.h"

struct live_builder {
    const char *sources, *binaries; /* folders */
    const char *recipes;            /* bench/real, for real programs; NULL: those of `sources` */
    const char *build;              /* the folder of the build, for recipes */
    unsigned builds; /* of each real program, for the time it takes: one that has had fewer is built again */
    bool counting;   /* for the runtime that counts: PROGRAM.TOOL-count, with no check made in place */
    struct {
        bool there;
        char command[256]; /* that builds, without its arguments */
        char cxx[256];     /* likewise, for C++ */
        char how[4096];    /* what the command does: when this changes, binaries are made again */
    } tool[TOOLS];
};

/* Asks every tool whether it is there. pfcc is looked up along PATH. */
void live_builder_begin(struct live_builder *builder, const char *sources, const char *binaries);

/* Has the source of a real program been fetched, or can it be? Says on standard error where it cannot. */
bool live_fetch(const struct live_builder *builder, const char *program);

/* Makes what is missing or old; says on standard error what cannot be built. */
void live_build(const struct live_builder *builder, const struct program *const *programs, size_t count,
                tool_set tools);

/* BINARIES/PROGRAM.TOOL, or PROGRAM.TOOL-count; and, with .seconds behind it, the file that gets a line of
 * CPU seconds each time a real program is built. */
void live_binary(const struct live_builder *builder, const char *program, enum tool tool, char path[4096]);

/* The median of those seconds; NaN: it has not been built. */
double live_build_seconds(const char *binary, unsigned *builds);
