/* Descriptors are closed, unordered, after another thread has used them with calls that move no data: each is a race of its own. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <termios.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

static void check_terminal(int fd)
{
    isatty(fd);
}
static void check_mode(int fd)
{
    fchmod(fd, 0600);
}
static void check_owner(int fd)
{
    fchown(fd, (uid_t)-1, (gid_t)-1);
}
static void check_lock(int fd)
{
    lockf(fd, F_TEST, 0);
}
static void check_space(int fd)
{
    posix_fallocate(fd, 0, 1);
}
static void check_room(int fd)
{
    fallocate(fd, 0, 0, 1);
}
static void check_advice(int fd)
{
    posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
}
static void check_sync(int fd)
{
    syncfs(fd);
}
static void check_directory(int fd)
{
    fchdir(fd);
}
static void check_print(int fd)
{
    dprintf(fd, "x");
}

static void check_system(int fd)
{
    struct statfs what;
    fstatfs(fd, &what);
}
static void check_volume(int fd)
{
    struct statvfs what;
    fstatvfs(fd, &what);
}
static void check_times(int fd)
{
    futimens(fd, NULL);
}
static void check_range(int fd)
{
    sync_file_range(fd, 0, 0, 0);
}
static void check_ahead(int fd)
{
    readahead(fd, 0, 1);
}
static void check_settings(int fd)
{
    struct termios what;
    tcgetattr(fd, &what);
}
static void check_listing(int fd)
{
    fdopendir(fd);
}
static void check_watch(int fd)
{
    inotify_rm_watch(fd, 1);
}
static void check_timer(int fd)
{
    struct itimerspec what;
    timerfd_gettime(fd, &what);
}

static void (*const uses[])(int fd) = {
    check_terminal, check_mode,      check_owner,   check_lock,   check_space,  check_room,  check_advice,
    check_sync,     check_directory, check_print,   check_system, check_volume, check_times, check_range,
    check_ahead,    check_settings,  check_listing, check_watch,  check_timer};
enum { USES = sizeof uses / sizeof *uses };
static int fd[USES];

static void *first(void *unused)
{
    for (int i = 0; i < USES; i++)
        uses[i](fd[i]);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    for (int i = 0; i < USES; i++)
        close(fd[i]);
    return unused;
}

int main(void)
{
    for (int i = 0; i < USES; i++) {
        char name[] = "/tmp/fd_close_file.XXXXXX";
        must((fd[i] = mkstemp(name)) >= 0 && unlink(name) == 0);
    }
    pair(first, second);
    return 0;
}
