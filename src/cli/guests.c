#include "cli/guests.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "cli/program.h"
#include "report/wire.h"

static void add(struct guests *g, int socket)
{
    g->guest = mem_reserve(&g->mem, g->guest, sizeof *g->guest, &g->capacity, g->count + 1);
    g->guest[g->count++] = (struct guest){socket, desk_client_new()};
}

static void leave(struct guests *g, size_t i)
{
    close(g->guest[i].socket);
    desk_client_free(g->guest[i].client);
    g->guest[i] = g->guest[--g->count];
}

/* False: nothing (more) has come; the guest may be gone. */
static bool take_message(struct guests *g, size_t i)
{
    static struct packet packet;
    enum packet_result received = packet_receive(g->guest[i].socket, false, &packet);
    if (received == PACKET_END)
        leave(g, i);
    if (received != PACKET_GOOD)
        return false;
    if (packet.passed >= 0)
        close(packet.passed); /* text goes to our own standard error */
    if (g->said(g->context, &g->guest[i], &packet))
        return true;
    leave(g, i);
    return false;
}

static void take_all(struct guests *g)
{
    for (int socket; (socket = child_accept(g->child)) >= 0;)
        add(g, socket);
    for (size_t i = g->count; i-- > 0;)
        while (i < g->count && take_message(g, i))
            continue;
}

static void wait_for_something(struct guests *g)
{
    size_t count = 2 + g->count;
    struct mem mem = {0};
    struct pollfd *polls = mem_alloc(&mem, count * sizeof *polls);
    polls[0] = (struct pollfd){.fd = g->child->signals, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = g->child->socket, .events = POLLIN};
    for (size_t i = 0; i < g->count; i++)
        polls[2 + i] = (struct pollfd){.fd = g->guest[i].socket, .events = POLLIN};
    poll(polls, count, -1);
    mem_free(&mem, polls, count * sizeof *polls);
}

void guests_serve(struct guests *g)
{
    while (!g->child->ended) {
        wait_for_something(g);
        take_all(g);
        child_check(g->child);
    }
    take_all(g); /* what it said before it ended */
}

void guests_free(struct guests *g)
{
    while (g->count > 0)
        leave(g, 0);
    mem_free(&g->mem, g->guest, g->capacity * sizeof *g->guest);
}

/* --- the end --- */

int guests_status(const struct child *child, const char *program, int log)
{
    int status = child->status;
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    dprintf(log, "photofinish: %s was killed by signal %d (%s)\n", program, WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}

static enum instrumented program_instrumented(const char *program)
{
    char *file = program_file(program);
    enum instrumented answer = file != NULL ? module_instrumented(file) : INSTRUMENTED_NOT;
    free(file);
    return answer;
}

/* Does it have rights that its caller may lack: set-user-ID, set-group-ID, capabilities? Then it hears nothing of us. */
static bool program_has_rights(const char *program)
{
    char *file = program_file(program);
    struct stat s;
    bool has = file != NULL && ((stat(file, &s) == 0 && (s.st_mode & (S_ISUID | S_ISGID)) != 0) ||
                                getxattr(file, "security.capability", NULL, 0) > 0);
    free(file);
    return has;
}

static bool was_started_for_us(const char *process, const char *channel)
{
    char *path, *variable = NULL;
    size_t room = 0, length = strlen(WIRE_VARIABLE);
    bool found = false;
    if (asprintf(&path, "/proc/%s/environ", process) < 0)
        tool_failed("out of memory");
    FILE *in = fopen(path, "re");
    while (in != NULL && !found && getdelim(&variable, &room, '\0', in) > 0)
        found = strncmp(variable, WIRE_VARIABLE "=", length + 1) == 0 &&
                strcmp(variable + length + 1, channel) == 0;
    free(variable);
    free(path);
    if (in != NULL)
        fclose(in);
    return found;
}

static unsigned started_for_us(const char *channel)
{
    unsigned count = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *e; processes != NULL && (e = readdir(processes)) != NULL;)
        count += e->d_name[0] >= '1' && e->d_name[0] <= '9' && was_started_for_us(e->d_name, channel);
    if (processes != NULL)
        closedir(processes);
    return count;
}

/* Processes that the program has left behind. They are not waited for: a daemon has no end. One that is just
 * becoming another program has no environment for a moment. */
static unsigned left_behind(void)
{
    enum { LOOKS = 10 };
    const struct timespec moment = {.tv_nsec = 10000000};
    const char *channel = getenv(WIRE_VARIABLE);
    unsigned count = 0;
    for (int looks = 0; channel != NULL && count == 0 && looks < LOOKS; looks++) {
        if (looks > 0)
            nanosleep(&moment, NULL);
        count = started_for_us(channel);
    }
    return count;
}

void guests_tell_unheard(const char *command, const char *program, const char *done)
{
    unsigned left;
    if (program_instrumented(program) == INSTRUMENTED_OTHER_RUNTIME)
        fprintf(stderr,
                "photofinish: %s: %s: ThreadSanitizer's own runtime is linked into this program, so "
                "Photofinish %s "
                "nothing (link it with pfcc or pfc++ instead; its object files can stay as they are)\n",
                command, program, done);
    else if (program_has_rights(program))
        fprintf(stderr,
                "photofinish: %s: %s: this program has rights that its caller may lack, and takes no part in "
                "this: what it reports is on its standard error (start it by itself)\n",
                command, program);
    else if ((left = left_behind()) > 0)
        fprintf(stderr,
                "photofinish: %s: %s: it ended before any instrumented code was run, so nothing was %s; %u "
                "process%s that it "
                "started still run%s, and %s not waited for\n",
                command, program, done, left, left == 1 ? "" : "es", left == 1 ? "s" : "",
                left == 1 ? "is" : "are");
    else
        fprintf(stderr,
                "photofinish: %s: %s: no instrumented code was run, so nothing was %s (build it with pfcc or "
                "pfc++)\n",
                command, program, done);
}
