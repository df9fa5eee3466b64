/* What pfcc --pf-help says, and photofinish help pfcc; %s is the name it was called by. */
#pragma once

#define PFCC_USAGE                                                                                             \
    "usage: %s [OPTION OF THE COMPILER]... FILE...\n\n"                                                        \
    "A drop-in for cc (pfcc) and c++ (pfc++) that builds programs which tell their data races.\n"              \
    "PF_CC and PF_CXX choose the compiler underneath (gcc and g++; clang 14 to 19 work too); where only\n"     \
    "PF_CC is set, pfc++ uses the C++ compiler that belongs to it. They may have several words, as in\n"       \
    "PF_CC=\"ccache gcc\". Programs are built for Linux on x86-64, and for nothing else.\n"                    \
    "  --placement=PLACEMENT\n"                                                                                \
    "               where accesses are checked. With clang 19: each by itself (every, or slimstate), "         \
    "without\n"                                                                                                \
    "               those that were checked before (redcard, or slimcard), or so that the same races are\n"    \
    "               found with the fewest checks (bigfoot, the default). With gcc: every, redcard, bigfoot;\n" \
    "               the last, the default, needs the gcc that Photofinish was built with\n"                    \
    "  --pf-remarks with clang 19, tell on stderr which accesses need no check, which are checked before\n"    \
    "               their loop, and what keeps the others in it (lines are those of -g)\n"                     \
    "  --pf-calls   make every check a call. By default the test that answers most of them is put in "         \
    "their\n"                                                                                                  \
    "               place: with gcc by macros for the assembler, so that a C file whose assembly has a "       \
    "macro\n"                                                                                                  \
    "               `call' of its own needs this\n"                                                            \
    "  --pf-static  link the race detector into the program instead of loading it as a library\n"              \
    "  --pf-show    print the command instead of running it\n"                                                 \
    "  --pf-help    show this\n"                                                                               \
    "The compiler is told -fsanitize=thread, and gcc also what keeps checks and stacks whole: "                \
    "-fno-ipa-icf,\n"                                                                                          \
    "-fno-builtin-memcpy and others like it, -U_FORTIFY_SOURCE, -fno-plt, -Wno-tsan.\n"
