/* Topics are the commands, and sections of the documents. */
#include "cli/help.h"

#include <string.h>

#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/documents.h"
#include "cli/pfcc_usage.h"
#include "cli/plain.h"
#include "report/options.h"

/* What is written of it under a heading of a document; "": all of that. */
static const struct {
    const char *name, *about;
    const unsigned char *document;
    size_t length;
    const char *heading;
} topics[] = {
#define X(name, about, document, heading)                                                                    \
    {                                                                                                        \
        name, about, document, sizeof document, heading                                                      \
    }
    X("annotations", "telling the detector what it cannot see", document_reports_md, "Annotations"),
    X("baselines", "fail on new races only", document_suppressions_md, "Baselines"),
    X("ci", "make, CTest, GitHub, GitLab", document_ci_md, ""),
    X("environment", "the variables that are heeded", document_reports_md, "Environment"),
    X("exit-codes", "what an exit status means", document_reports_md, "Exit status"),
    X("files", "which files are written, and how", document_reports_md, "Files"),
    X("fingerprints", "what makes two races the same", document_reports_md, "Fingerprints"),
    X("formats", "of traces; how to write one", document_formats_md, ""),
    X("html", "the page, SARIF and annotations", document_reports_md, "The same in other formats"),
    X("json", "what is in the JSON", document_reports_md, "JSON"),
    X("limits", "what is not seen in a running program", document_live_md, "What it does not do yet"),
    X("live", "how a running program is watched", document_live_md, ""),
    X("migrating-from-tsan", "the same as tsan", document_migrating_from_tsan_md, ""),
    X("options", "PHOTOFINISH_OPTIONS", document_reports_md, "Options"),
    X("placement", "where accesses are checked, with clang 19", document_placement_md, ""),
    X("recording", "keeping an execution", document_record_md, ""),
    X("reports", "how to read one", document_reports_md, "A report"),
    X("suppressions", "what not to report", document_suppressions_md, "Suppressions"),
    X("tsan", "coming from ThreadSanitizer", document_migrating_from_tsan_md, ""),
    X("tutorial", "from a race to a test suite without", document_tutorial_md, ""),
    X("verdict", "what a verdict rests on", document_reports_md, "What a verdict rests on"),
#undef X
};

void help_usage(void)
{
    puts("photofinish " PF_VERSION ": a precise data race detector for C and C++\n\n"
         "usage: photofinish COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:");
    for (const struct command *c = commands; c->name != NULL; c++)
        printf("  %-10s %-11s %s\n", c->name, c->arguments, c->about);
    puts("\nTopics of help, besides the commands and pfcc:");
    for (size_t i = 0; i < array_length(topics); i++)
        printf("  %-22s %s\n", topics[i].name, topics[i].about);
    puts(
        "\nphotofinish COMMAND --help tells of a command, too; photofinish --version (-V) prints the version.");
}

/* --- names that are nearly right --- */

static void consider_commands(struct nearest *n)
{
    for (const struct command *c = commands; c->name != NULL; c++)
        nearest_consider(n, c->name);
}

const char *help_near_command(const char *wanted)
{
    struct nearest n = {.wanted = wanted, .length = strlen(wanted)};
    consider_commands(&n);
    return n.name;
}

static const char *near_topic(const char *wanted)
{
    struct nearest n = {.wanted = wanted, .length = strlen(wanted)};
    consider_commands(&n);
    for (size_t i = 0; i < array_length(topics); i++)
        nearest_consider(&n, topics[i].name);
    return n.name;
}

/* --- the command --- */

static void put_options(void)
{
    const char *line;
    puts("\nNames, with their defaults:\n");
    for (size_t i = 0; (line = options_help_line(i)) != NULL; i++)
        printf("  %s\n", line);
}

static int show_topic(const char *name)
{
    static char help[] = "--help";
    for (const struct command *c = commands; c->name != NULL; c++)
        if (strcmp(name, c->name) == 0)
            return c->run(2, (char *[]){(char *)name, help, NULL});
    if (strcmp(name, "pfcc") == 0 || strcmp(name, "pfc++") == 0) {
        printf(PFCC_USAGE, name);
        return cli_finish(0);
    }
    for (size_t i = 0; i < array_length(topics); i++) {
        if (strcmp(name, topics[i].name) != 0)
            continue;
        struct markdown document = {(const char *)topics[i].document, topics[i].length};
        markdown_plain(markdown_section(document, topics[i].heading), stdout);
        if (strcmp(name, "options") == 0)
            put_options();
        return cli_finish(0);
    }
    const char *near = near_topic(name);
    if (near != NULL)
        return cli_bad_usage("no help on '%s': did you mean '%s'? (photofinish help lists the topics)", name,
                             near);
    return cli_bad_usage("no help on '%s' (photofinish help lists the topics)", name);
}

int command_help(int argc, char **argv)
{
    const struct cli_command command = {
        .name = "help",
        .arguments = "[TOPIC]",
        .about = "Tell more of a command (as its --help does), of pfcc, or of a topic; without one, list "
                 "what there is",
        .more = "Exit status: 0 done, 2 bad usage, or no such topic.\n",
        .most_operands = 1,
    };
    int operands, exit_code;
    if (!cli_parse(&command, argc, argv, &operands, &exit_code))
        return exit_code;
    if (operands == 1)
        return show_topic(argv[0]);
    help_usage();
    return cli_finish(0);
}
