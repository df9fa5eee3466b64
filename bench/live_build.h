/* Builds the benchmark programs for every tool: BINARIES/PROGRAM.TOOL.
 *
 * A binary is kept until its source, bench/programs/program.h, the compiler's version or command, or the
 * compiler plug-in in that command is a newer one. Our runtime is a shared library: a new one needs no new
 * binary. A tool whose compiler is not there, or which pfcc refuses to build for (it exits with 64 where it
 * does not know a placement), has no binaries; the tables say "missing".
 */
#pragma once

#include "live_programs.h"
#include "live_tools.h"

struct live_builder {
    const char *sources, *binaries; /* folders */
    bool counting; /* for the runtime that counts: PROGRAM.TOOL-count, with no check made in place */
    struct {
        bool there;
        char command[256]; /* that builds, without its arguments */
        char how[4096];    /* what the command does: when this changes, binaries are made again */
    } tool[TOOLS];
};

/* Asks every tool whether it is there. pfcc is looked up along PATH. */
void live_builder_begin(struct live_builder *builder, const char *sources, const char *binaries);

/* Makes what is missing or old; says on standard error what cannot be built. */
void live_build(const struct live_builder *builder, const struct program *const *programs, size_t count,
                tool_set tools);

/* BINARIES/PROGRAM.TOOL, or PROGRAM.TOOL-count */
void live_binary(const struct live_builder *builder, const char *program, enum tool tool, char path[4096]);
