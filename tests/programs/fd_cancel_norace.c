/* A thread is cancelled while it waits in the kernel, in one call after the other: it has not read, and
 * unlocks what it holds. */
#define _GNU_SOURCE

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

int x;

static int fd[2], event, epoll, pairs[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void give(void)
{
}
static void take(void)
{
}

static void unlock(void *unused)
{
    (void)unused;
    x++;
    pthread_mutex_unlock(&mutex);
}

static void *waiter(void *which)
{
    char c[8];
    struct pollfd fds = {.fd = fd[0], .events = POLLIN};
    struct epoll_event events;
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    switch ((long)which) {
    case 0:
        must(read(fd[0], c, 1) == 1);
        break;
    case 1:
        poll(&fds, 1, -1);
        break;
    case 2:
        epoll_wait(epoll, &events, 1, -1);
        break;
    case 3:
        must(recv(pairs[0], c, 1, 0) == 1);
        break;
    case 4:
        must(read(event, c, 8) == 8);
        break;
    }
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void)
{
    must(pipe(fd) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pairs) == 0);
    must((event = eventfd(0, 0)) >= 0 && (epoll = epoll_create1(0)) >= 0);
    for (long which = 0; which < 5; which++) {
        pthread_t t;
        void *result;
        pthread_create(&t, NULL, waiter, (void *)which);
        pthread_cancel(t);
        pthread_join(t, &result);
        must(result == PTHREAD_CANCELED);
        pthread_mutex_lock(&mutex);
        x++;
        pthread_mutex_unlock(&mutex);
    }
    return x < 5;
}
