/* photofinish version: also --version and -V. */
#include "cli/cli.h"
#include "cli/commit.h"

int command_version(int argc, char **argv)
{
    const struct cli_command command = {
        .name = "version",
        .arguments = "",
        .about = "Print the version and the commit it was built from, as --version and -V do",
        .more = "",
    };
    int operands, exit_code;
    if (!cli_parse(&command, argc, argv, &operands, &exit_code))
        return exit_code;
    puts("photofinish " PF_VERSION PF_COMMIT);
    return cli_finish(0);
}
