#include "live_tools.h"

#include <string.h>

#define TELLS_AS_TSAN     .summary = "ThreadSanitizer:", .before_number = "reported "
#define TELLS_AS_VALGRIND .summary = "ERROR SUMMARY:", .before_number = "from "
#define OURS              .ours = true, .summary = "Photofinish:", .before_number = "reported "
#define CLANG_PFCC        .compiler = "PF_CC=clang-19 pfcc", .cxx = "PF_CC=clang-19 pfc++"

const struct live_tool live_tools[TOOLS] = {
    [GCC] = {"gcc", "plain (gcc)", .plain = GCC, .binary = GCC, .compiler = "gcc", .cxx = "g++"},
    [GCC_TSAN] = {"gcc-tsan", "TSan (gcc)", .colour = OCHRE, .plain = GCC, .binary = GCC_TSAN,
                  .compiler = "gcc -fsanitize=thread", .cxx = "g++ -fsanitize=thread", TELLS_AS_TSAN},
    [GCC_OURS] = {"gcc-ours", "Photofinish (gcc)", .colour = BLUE, .plain = GCC, .binary = GCC_OURS,
                  .compiler = "PF_CC=gcc pfcc", .cxx = "PF_CC=gcc pfc++", OURS},
    [CLANG] = {"clang", "plain (clang)", .plain = CLANG, .binary = CLANG, .compiler = "clang-19",
               .cxx = "clang++-19"},
    [CLANG_TSAN] = {"clang-tsan", "TSan (clang)", .colour = VERMILION, .plain = CLANG, .binary = CLANG_TSAN,
                    .compiler = "clang-19 -fsanitize=thread", .cxx = "clang++-19 -fsanitize=thread",
                    TELLS_AS_TSAN},
    [CLANG_OURS] = {"clang-ours", "Photofinish (clang)", .colour = INDIGO, .plain = CLANG,
                    .binary = CLANG_OURS, CLANG_PFCC, .placement = "every", OURS},
    [FASTTRACK] = {"fasttrack", "Photofinish, fasttrack", .plain = CLANG, .binary = CLANG_OURS, OURS},
    [REDCARD] = {"redcard", "Photofinish, redcard", .plain = CLANG, .binary = REDCARD, CLANG_PFCC,
                 .placement = "redcard", OURS},
    [SLIMCARD] = {"slimcard", "Photofinish, slimcard", .plain = CLANG, .binary = REDCARD, OURS},
    [BIGFOOT] = {"bigfoot", "Photofinish, bigfoot", .colour = GREEN, .plain = CLANG, .binary = BIGFOOT,
                 CLANG_PFCC, .placement = "bigfoot", OURS},
    [GCC_SMALL] = {"gcc-small", "plain (gcc), small", .plain = GCC_SMALL, .binary = GCC, .small = true},
    [HELGRIND] = {"helgrind", "Helgrind", .colour = GREY, .plain = GCC_SMALL, .binary = GCC, .small = true,
                  .under = "helgrind", TELLS_AS_VALGRIND},
    [DRD] = {"drd", "DRD", .colour = BLACK, .plain = GCC_SMALL, .binary = GCC, .small = true, .under = "drd",
             TELLS_AS_VALGRIND},
};

tool_set tools_all(void)
{
    return (tool_set)((1u << TOOLS) - 1);
}

tool_set tools_of_thesis(void)
{
    return (tool_set)(1u << FASTTRACK | 1u << REDCARD | 1u << SLIMCARD);
}

static enum tool tool_named(const char *name)
{
    for (unsigned tool = 0; tool < TOOLS; tool++)
        if (strcmp(live_tools[tool].name, name) == 0)
            return (enum tool)tool;
    tool_failed("bench: there is no tool '%s' (bench/live --help lists them)", name);
}

tool_set tools_named(char *list)
{
    tool_set set = 0;
    for (char *name = strtok(list, ","); name != NULL; name = strtok(NULL, ",")) {
        enum tool tool = tool_named(name);
        set |= (tool_set)(1u << tool | 1u << live_tools[tool].plain);
    }
    return set;
}
