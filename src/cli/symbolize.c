/* photofinish symbolize: the helper that a runtime starts when its program was not started by `photofinish
 * run`. Not for people: it speaks to the runtime through a socket it has inherited, and ends with the
 * program. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/packet.h"
#include "detect/detectors.h"
#include "report/desk.h"

/* What the program had open must not stay open because of us: a reader at the other end of a pipe may be
 * waiting for the last writer to go. */
static void close_inherited(int channel)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) {
        if (null >= 0)
            dup2(null, fd);
        else
            close(fd);
    }
    DIR *open_now = opendir("/proc/self/fd");
    if (open_now == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(open_now)) != NULL;) {
        int fd = atoi(entry->d_name);
        if (fd > 2 && fd != channel && fd != dirfd(open_now))
            close(fd);
    }
    closedir(open_now);
}

/* The terminal's signals are for the program; we end when it does. */
static void leave_signals_to_program(void)
{
    static const int signals[] = {SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGTTOU, SIGPIPE};
    sigset_t none;
    for (size_t i = 0; i < array_length(signals); i++)
        signal(signals[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

int command_symbolize(int argc, char **argv)
{
    uint64_t channel = 0;
    const struct cli_option options[] = {
        {"channel", "N", "the socket to the program, inherited as descriptor N", OPTION_NUMBER, &channel}};
    const struct cli_command command = {
        .name = "symbolize",
        .arguments = "",
        .about = "Write the reports of a program that was started directly (started by its runtime, not by "
                 "people)",
        .more = "",
        .options = options,
        .option_count = array_length(options),
    };
    int operands, exit_code;
    if (!cli_parse(&command, argc, argv, &operands, &exit_code))
        return exit_code;
    if (channel < 3 || channel > INT32_MAX || fcntl((int)channel, F_GETFD) < 0)
        return cli_bad_usage(
            "symbolize: --channel must be an open socket; it is a runtime that starts this command");
    static struct packet packet;
    struct desk desk;
    struct wire_verdict verdict;
    leave_signals_to_program();
    close_inherited((int)channel);
    desk_open(&desk);
    desk.is_precise = detector_is_precise;
    struct desk_client *client = desk_client_new();
    enum desk_result result = DESK_TAKEN;
    while (result != DESK_UNKNOWN && packet_receive((int)channel, true, &packet) == PACKET_GOOD) {
        result = desk_take(&desk, client, packet.bytes, packet.length, packet.passed, &verdict);
        if (result == DESK_ANSWER)
            packet_answer((int)channel, &verdict, -1);
        if (packet.passed >= 0)
            close(packet.passed);
    }
    desk_client_free(client);
    desk_close(&desk);
    return 0;
}
