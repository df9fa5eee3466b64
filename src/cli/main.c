/* photofinish: finds the command and runs it. */
#include <string.h>

#include "cli/cli.h"

static const struct {
    const char *name, *arguments, *about;
    int (*run)(int argc, char **argv);
} commands[] = {
#define X(name, arguments, about) {#name, arguments, about, command_##name},
    COMMANDS(X)
#undef X
};

static void print_usage(void)
{
    puts("photofinish " PF_VERSION ": a precise data race detector for C and C++\n\n"
         "usage: photofinish COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:");
    for (size_t i = 0; i < array_length(commands); i++)
        printf("  %-10s %-11s %s\n", commands[i].name, commands[i].arguments, commands[i].about);
    puts("\nphotofinish COMMAND --help tells more; photofinish --version prints the version.");
}

static int no_such_command(const char *name)
{
    return cli_bad_usage("no command '%s' (see photofinish --help)", name);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage();
        return cli_finish(EXIT_BAD_INPUT);
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        puts("photofinish " PF_VERSION);
        return cli_finish(0);
    }
    static char help[] = "--help";
    if (strcmp(name, "help") == 0 && argc == 3) { /* help COMMAND is COMMAND --help */
        name = argv[1] = argv[2];
        argv[2] = help;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_usage();
        return cli_finish(0);
    }
    for (size_t i = 0; i < array_length(commands); i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (strcmp(name, "symbolize") == 0)
        return command_symbolize(argc - 1, argv + 1);
    return no_such_command(name);
}
