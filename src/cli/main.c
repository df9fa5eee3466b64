/* photofinish: finds the command and runs it. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/help.h"

const struct command commands[] = {
#define X(name, arguments, about) {#name, arguments, about, command_##name},
    COMMANDS(X)
#undef X
        {NULL, NULL, NULL, NULL},
};

/* Where one of the standard three is closed, a file of ours must not take its number: reports would be written into
 * it. Writing there still fails; the program under test finds it closed. */
static void hold_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* A handler that does nothing: a write beyond the limit of a file's size then fails, and does not end us. (SIG_IGN would be
 * inherited by programs that we start.) */
static void on_too_large(int number)
{
    (void)number;
}

static void survive_large_files(void)
{
    if (signal(SIGXFSZ, on_too_large) == SIG_IGN)
        signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    survive_large_files();
    if (argc < 2) {
        help_usage();
        return cli_finish(EXIT_BAD_INPUT);
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return command_version(argc - 1, argv + 1);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        help_usage();
        return cli_finish(0);
    }
    if (strcmp(name, "symbolize") == 0)
        return command_symbolize(argc - 1, argv + 1);
    for (const struct command *c = commands; c->name != NULL; c++)
        if (strcmp(name, c->name) == 0)
            return c->run(argc - 1, argv + 1);
    const char *near = help_near_command(name);
    if (near != NULL)
        return cli_bad_usage("no command '%s': did you mean '%s'? (see photofinish --help)", name, near);
    return cli_bad_usage("no command '%s' (see photofinish --help)", name);
}
