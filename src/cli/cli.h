/* What the commands of `photofinish` share: the list of commands, option parsing, help, errors, exit codes.
 */
#pragma once

#include <stdio.h>

#include "base/problem.h"
#include "trace/reader.h"

/* command, arguments, what it does. One file each; help and dispatch are made from this list. */
#define COMMANDS(X)                                                                                          \
    X(analyze, "TRACE", "find the races in a recorded execution, with any detector")                         \
    X(convert, "IN OUT", "turn a trace into another format (.std, .pft)")                                    \
    X(detectors, "", "list the detectors and what each promises")                                            \
    X(dump, "TRACE", "print the events of a trace as text")                                                  \
    X(generate, "", "write a random feasible trace to standard output")                                      \
    X(help, "TOPIC", "tell more of a command, or of what else there is to know")                             \
    X(merge, "REPORT...", "unite the reports of many runs: each race once")                                  \
    X(record, "PROG ARG...", "run such a program and keep what it does as a trace, for analyze")             \
    X(report, "REPORT", "turn a report of run into text, a page, SARIF or annotations")                      \
    X(run, "PROG ARG...", "run a program built with pfcc or gcc -fsanitize=thread and report its races")     \
    X(stats, "TRACE", "count what a trace consists of")                                                      \
    X(version, "", "print the version")

#define X(name, arguments, about) int command_##name(int argc, char **argv);
COMMANDS(X)
#undef X
int command_symbolize(int argc, char **argv); /* for runtimes, not for people: not in the list */

struct command {
    const char *name, *arguments, *about;
    int (*run)(int argc, char **argv);
};

extern const struct command commands[]; /* the list; the last has no name */

enum exit_code { EXIT_NO_RACE = 0, EXIT_RACES = 1, EXIT_BAD_INPUT = 2 };

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_NUMBER, OPTION_PERHAPS_TEXT };

struct cli_option {
    const char *name;     /* without the dashes; a single letter is a short option */
    const char *argument; /* how help calls the value; NULL for a flag. PERHAPS_TEXT: only after "=", else "-"
                             is set */
    const char *help;
    enum option_kind kind;
    void *value; /* bool *, const char **, uint64_t * */
};

struct cli_command {
    const char *name;
    const char *arguments;
    const char *about;
    const char *more; /* further help, "" if none */
    const struct cli_option *options;
    size_t option_count;
    int least_operands, most_operands;
    bool program_follows; /* the first operand ends the options: what comes after it is the program's */
};

/* Parses argv into the options' values; afterwards argv[0..*operands) are the operands. Returns true to go
 * on; otherwise *exit_code is what main returns: 0 after --help, 2 after an error message. */
bool cli_parse(const struct cli_command *command, int argc, char **argv, int *operands, int *exit_code);

/* "photofinish: PLACE: reason" on stderr; line 0 is left out. Returns EXIT_BAD_INPUT. */
int cli_bad_input(const char *place, const struct problem *problem);

/* The same for output that could not be written. Returns EXIT_TOOL_FAILED. */
int cli_bad_output(const char *place, const struct problem *problem);

/* "photofinish: message" on stderr. Returns EXIT_BAD_INPUT. */
int cli_bad_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Bad usage: no detector has this name. Guesses which one is meant. Returns EXIT_BAD_INPUT. */
int cli_no_detector(const char *command, const char *name);

/* Flushes standard output and gives `code`, or EXIT_TOOL_FAILED if what was printed did not get out. */
int cli_finish(int code);

/* The format of that name; NULL for "auto". False after an error message. */
bool cli_trace_format(const struct cli_command *command, const char *name,
                      const struct trace_format **format);

/* What `photofinish convert` does; `from`, `to` NULL: by content, by the ending. Returns its exit status. */
struct writer_format;
int convert_trace(const char *in, const char *out, const struct trace_format *from,
                  const struct writer_format *to, bool salvage);
