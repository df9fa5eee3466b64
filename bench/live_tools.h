/* The tools that bench/live compares, in one table: how each builds a program, how it runs it, what it is
 * measured against, and how it says how many races it found. A further tool is a line in live_tools.c and, if
 * tables name it, an enumerator here. */
#pragma once

#include "svg.h"

enum tool {
    GCC,
    GCC_TSAN,
    GCC_OURS,
    CLANG,
    CLANG_TSAN,
    CLANG_OURS, /* a call for every access; the thesis' SlimState */
    FASTTRACK,
    REDCARD,
    SLIMCARD,
    BIGFOOT,
    GCC_SMALL, /* the plain program with the size for Valgrind */
    HELGRIND,
    DRD,
    TOOLS,
};

struct live_tool {
    const char *name;      /* in options, file names and tables */
    const char *title;     /* in charts */
    enum colour colour;    /* likewise */
    enum tool plain;       /* what its time and memory are multiples of; a plain build: itself */
    enum tool binary;      /* whose binary it runs */
    const char *compiler;  /* the command that builds it, without its arguments; NULL: it builds none */
    const char *cxx;       /* likewise, for C++ */
    const char *placement; /* of ours: the argument of --placement=, or NULL for pfcc's default */
    const char *options;   /* of ours: PHOTOFINISH_OPTIONS, or NULL */
    const char *under;     /* Valgrind's tool, or NULL */
    bool small;            /* runs with the small size */
    bool ours;
    /* The last line that has the one and then the other, followed by the number, tells the races. */
    const char *summary, *before_number;
};

extern const struct live_tool live_tools[TOOLS];

/* A set of tools; bit `tool` is set. */
typedef uint32_t tool_set;

hot_inline bool has_tool(tool_set set, enum tool tool)
{
    return (set >> tool & 1) != 0;
}

/* All tools, and those that are there for the thesis' tables only: what is between no placement and all of
 * it. */
tool_set tools_all(void);
tool_set tools_of_thesis(void);

/* From a list of names; ends the tool with one line where one is unknown. What they are measured against is
 * included. */
tool_set tools_named(char *list);
