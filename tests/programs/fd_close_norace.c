/* Descriptors that are closed when nobody uses them any more, told in all the ways there are. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int fd[2], wake, epoll, listener;
static char c;

/* --- the other end tells --- */

static void *writer(void *unused)
{
    must(write(fd[1], "x", 1) == 1);
    return unused;
}

static void *reader(void *unused)
{
    must(read(fd[0], &c, 1) == 1);
    close(fd[0]);
    close(fd[1]);
    return unused;
}

static void *waker(void *unused)
{
    must(eventfd_write(wake, 1) == 0);
    return unused;
}

static void *woken(void *unused)
{
    eventfd_t value;
    must(eventfd_read(wake, &value) == 0);
    close(wake);
    return unused;
}

/* --- an epoll tells --- */

static void *registers(void *unused)
{
    struct epoll_event event = {.events = EPOLLOUT | EPOLLONESHOT, .data.fd = fd[1]};
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, fd[1], &event) == 0);
    return unused;
}

static void *handles(void *unused)
{
    struct epoll_event event;
    must(epoll_wait(epoll, &event, 1, -1) == 1);
    close(event.data.fd);
    return unused;
}

/* --- a join tells --- */

static void *accepts(void *unused)
{
    int connection = accept(listener, NULL, NULL);
    if (connection >= 0)
        close(connection);
    return unused;
}

static void shut_down(void)
{
    pthread_t t;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    must(listen(listener, 1) == 0);
    pthread_create(&t, NULL, accepts, NULL);
    shutdown(listener, SHUT_RDWR); /* not a close: its number stays */
    pthread_join(t, NULL);
    close(listener);
}

/* --- nobody tells: the numbers are others each time, though they are the same --- */

static void *opens(void *unused)
{
    struct stat what;
    for (int i = 0; i < 100; i++) {
        int file = open("/dev/null", O_RDWR), memory = memfd_create("x", 0), copy = dup(file);
        must(write(file, "x", 1) == 1 && write(copy, "x", 1) == 1);
        must(fstat(memory, &what) == 0 && ftruncate(memory, 10) == 0);
        DIR *directory = opendir("/");
        must(fstat(dirfd(directory), &what) == 0);
        closedir(directory);
        FILE *stream = tmpfile();
        must(lseek(fileno(stream), 0, SEEK_SET) == 0);
        fclose(stream);
        close(copy);
        close(memory);
        close(file);
        must(fcntl(900, F_GETFD) == -1);
        close(901);
    }
    return unused;
}

/* --- replaced, not closed --- */

static int output;

static void *prints(void *unused)
{
    for (int i = 0; i < 100; i++)
        must(write(output, "x", 1) == 1);
    return unused;
}

static void *replaces(void *unused)
{
    for (int i = 0; i < 100; i++) {
        int other = open("/dev/null", O_WRONLY);
        must(dup2(other, output) == output);
        close(other);
    }
    return unused;
}

/* --- other processes have descriptors of their own --- */

static void *forks(void *unused)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        must(write(output, "x", 1) == 1);
        close(output);
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child && status == 0);
    child = vfork();
    if (child == 0) {
        close(output);
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child && status == 0);
    return unused;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        must(pipe(fd) == 0);
        pair(writer, reader);
        wake = eventfd(0, 0);
        pair(waker, woken);
        must(pipe(fd) == 0);
        epoll = epoll_create1(0);
        pair(registers, handles);
        close(fd[0]);
        close(epoll);
        shut_down();
    }
    pair(opens, opens);
    output = open("/dev/null", O_WRONLY);
    pair(prints, replaces);
    pair(prints, forks);
    close(output);
    close(0);
    return 0;
}
