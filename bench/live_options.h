/* The command line of bench/live. */
#pragma once

#include "live_tools.h"

struct live_options {
    const char *root, *build;     /* folders: of the sources, and of the build */
    char *only, *group;           /* lists of names; NULL: all */
    char *threads;                /* a list of numbers */
    tool_set tools, kernel_tools; /* of all programs, and of the kernels besides */
    unsigned runs, timeout_seconds;
    unsigned budget_seconds; /* 0: as long as it takes */
    bool update, show, scaling, count;
    bool real;    /* the programs of bench/real */
    bool compile; /* of those, only what building takes */
};

/* Ends the program after --help and where the arguments are no good. */
struct live_options live_options_read(int count, char **arguments);
