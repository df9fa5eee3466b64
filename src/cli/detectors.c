/* photofinish detectors: what there is to choose from. */
#include "cli/cli.h"
#include "detect/detectors.h"

#include <string.h>

static const struct cli_command command = {
    .name = "detectors",
    .arguments = "",
    .about = "List the detectors and what each promises",
    .more =
        "The first column is the name for --detector=NAME of analyze and run; the second, where the algorithm is from\n"
        "(000 FastTrack2, 001 BigFoot thesis, 002 survey, 003 verified race detection, 004 Goldilocks).\n",
};

int command_detectors(int argc, char **argv)
{
    int operands, exit_code;
    if (!cli_parse(&command, argc, argv, &operands, &exit_code))
        return exit_code;
    for (size_t i = 0; detectors[i] != NULL; i++) {
        const struct detector *d = detectors[i];
        printf("%-17s %-26s %s%s\n", d->name, d->source, d->promise,
               strcmp(d->name, DEFAULT_DETECTOR) == 0 ? " (default)" : "");
    }
    return cli_finish(0);
}
