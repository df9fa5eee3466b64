/* photofinish detectors: what there is to choose from. */
#include "cli/cli.h"
#include "detect/detectors.h"

#include <string.h>

static const struct cli_command command = {
    .name = "detectors",
    .arguments = "",
    .about = "List the detectors and what each promises",
    .more =
        "The first column is the name for --detector=NAME of analyze and run; the second, where the algorithm is from.\n\n"
        "FastTrack2    C. Flanagan, S. N. Freund: The FastTrack2 Race Detector, Williams College CSTR-201701, 2017\n"
        "FastTrack     C. Flanagan, S. N. Freund: FastTrack: Efficient and Precise Dynamic Race Detection, PLDI 2009\n"
        "DJIT+         E. Pozniansky, A. Schuster: Efficient On-the-fly Data Race Detection in Multithreaded C++\n"
        "              Programs, PPoPP 2003\n"
        "Goldilocks    T. Elmas, S. Qadeer, S. Tasiran: Goldilocks: Efficiently Computing the Happens-Before Relation\n"
        "              Using Locksets, MSR-TR-2006-163, 2006\n"
        "Eraser        S. Savage et al.: Eraser: A Dynamic Data Race Detector for Multithreaded Programs, TOCS 1997\n"
        "vector clocks F. Mattern: Virtual Time and Global States of Distributed Systems, 1988\n",
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
