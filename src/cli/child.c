#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/program.h"
#include "report/wire.h"

/* Passed on to the program. */
static const int forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/* VARIABLE=value, and whatever it was before after a colon; or the other way round. */
static void add_to_environment(const char *variable, const char *value, bool first)
{
    char *whole;
    const char *old = getenv(variable);
    int length = old == NULL || *old == '\0' ? asprintf(&whole, "%s", value)
                 : first                     ? asprintf(&whole, "%s:%s", value, old)
                                             : asprintf(&whole, "%s:%s", old, value);
    if (length < 0)
        tool_failed("out of memory");
    setenv(variable, whole, 1);
    free(whole);
}

/* The library comes before the C library in every process of the program, so that it sees threads and locks: also
 * where an interpreter loads instrumented code later, and where the linker has put it last. It sleeps in processes that
 * do not need it (runtime/init.h). A path with a separator cannot be named: then the name is looked up. */
static void load_first(const char *program, const char *directory)
{
    static const char name[] = "libphotofinish.so.0";
    char *library, *file = program_file(program);
    if (asprintf(&library, "%s/%s", directory, name) < 0)
        tool_failed("out of memory");
    if (file != NULL && program_takes_library(file) && access(library, R_OK) == 0) {
        add_to_environment("LD_PRELOAD", strpbrk(library, " :") != NULL ? name : library, true);
        add_to_environment("ASAN_OPTIONS", "verify_asan_link_order=0", false); /* it insists on being first */
    }
    free(library);
    free(file);
}

/* fasttrack2 has a library of its own, next to one for all others (runtime/host/events.h): ../lib/photofinish,
 * ../lib/photofinish-generic. It goes first in LD_LIBRARY_PATH: a program that gcc linked to libtsan gets ours, too.
 */
static void choose_library(const char *program, const char *detector)
{
    bool own = strcmp(detector, "fasttrack2") == 0;
    char self[4096], *path, *option;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        tool_failed("/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    for (int up = 0; up < 2 && strrchr(self, '/') != NULL; up++)
        *strrchr(self, '/') = '\0';
    if (asprintf(&path, "%s/lib/photofinish%s", self, own ? "" : "-generic") < 0 ||
        asprintf(&option, "detector=%s", detector) < 0)
        tool_failed("out of memory");
    add_to_environment("LD_LIBRARY_PATH", path, true);
    load_first(program, path);
    if (!own)
        add_to_environment("PHOTOFINISH_OPTIONS", option, false); /* the last one holds */
    free(path);
    free(option);
}

static void listen_for_reports(struct child *child)
{
    uint64_t number[2];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (getrandom(number, sizeof number, 0) != sizeof number)
        tool_failed("no random number: %s", strerror(errno));
    char *name = address.sun_path + 1; /* abstract: after a zero */
    int length = snprintf(name, sizeof address.sun_path - 1, "photofinish-%ld-%016" PRIx64 "%016" PRIx64,
                          (long)getpid(), number[0], number[1]);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    child->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (child->socket < 0 || bind(child->socket, (struct sockaddr *)&address, size) != 0 ||
        listen(child->socket, SOMAXCONN) != 0)
        tool_failed("cannot listen for reports: %s", strerror(errno));
    setenv(WIRE_VARIABLE, name, 1);
}

/* Anybody on the machine may connect; only our user's processes, and root's, have something to say. */
int child_accept(const struct child *child)
{
    for (;;) {
        struct ucred peer;
        socklen_t size = sizeof peer;
        int fd = accept4(child->socket, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 && errno == EINTR)
            continue;
        if (fd < 0)
            return -1;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
            (peer.uid == getuid() || peer.uid == 0))
            return fd;
        close(fd);
    }
}

static void watch_signals(struct child *child, sigset_t *before)
{
    sigset_t all;
    sigemptyset(&all);
    sigaddset(&all, SIGCHLD);
    for (size_t i = 0; i < array_length(forwarded); i++)
        sigaddset(&all, forwarded[i]);
    sigset_t blocked = all;
    sigaddset(&blocked, SIGPIPE); /* the reports go on, even if nobody reads their text any more */
    sigprocmask(SIG_BLOCK, &blocked, before);
    signal(SIGCHLD, SIG_DFL); /* ignored, it would take the program's status away */
    child->signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    if (child->signals < 0)
        tool_failed("cannot wait for signals: %s", strerror(errno));
}

static _Noreturn void become(char **argv, int failure, const sigset_t *mask)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    int error = errno;
    ssize_t unused = write(failure, &error, sizeof error);
    (void)unused;
    _exit(127);
}

bool child_start(struct child *child, char **argv, const char *detector, struct problem *problem)
{
    sigset_t mask;
    int failure[2], error = 0;
    *child = (struct child){.pid = -1};
    choose_library(argv[0], detector);
    listen_for_reports(child);
    watch_signals(child, &mask);
    if (pipe2(failure, O_CLOEXEC) != 0)
        tool_failed("cannot make a pipe: %s", strerror(errno));
    fflush(NULL);
    child->pid = fork();
    if (child->pid < 0)
        tool_failed("cannot start a process: %s", strerror(errno));
    if (child->pid == 0)
        become(argv, failure[1], &mask);
    close(failure[1]);
    ssize_t got = read(failure[0], &error, sizeof error); /* ends when the program has begun */
    close(failure[0]);
    if (got != sizeof error)
        return true;
    waitpid(child->pid, NULL, 0);
    if (error == ENOENT && strchr(argv[0], '/') == NULL && access(argv[0], X_OK) == 0)
        return problem_set(problem, 0, "cannot run: %s (did you mean ./%s?)", strerror(error), argv[0]);
    return problem_set(problem, 0, "cannot run: %s", strerror(error));
}

void child_check(struct child *child)
{
    struct signalfd_siginfo info;
    while (read(child->signals, &info, sizeof info) == sizeof info) {
        bool from_terminal = info.ssi_code > 0; /* then the program has got it too */
        if ((int)info.ssi_signo != SIGCHLD && !from_terminal && !child->ended)
            kill(child->pid, (int)info.ssi_signo);
    }
    if (!child->ended && waitpid(child->pid, &child->status, WNOHANG) == child->pid)
        child->ended = true;
}
