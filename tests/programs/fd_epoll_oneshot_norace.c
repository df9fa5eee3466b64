/* A server: several threads wait for the same events, whoever gets one handles that connection alone until it
 * asks for the next. Clients are threads of the same process. What belongs to a connection needs no lock. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

enum { SERVERS = 3, CLIENTS = 4, REQUESTS = 100 };
static int epoll, listener, stop[2];
static struct sockaddr_in name = {.sin_family = AF_INET};

struct connection {
    int fd, requests;
    char last;
};
static struct connection *listening, *stopping; /* what their events say */

static void watch(int what, struct connection *c)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = c};
    must(epoll_ctl(epoll, what, c->fd, &event) == 0);
}

static struct connection *connection(int fd)
{
    struct connection *c = calloc(1, sizeof *c);
    must(fd >= 0);
    c->fd = fd;
    return c;
}

static void handle(struct connection *c)
{
    ssize_t got = read(c->fd, &c->last, 1);
    if (got == 1) {
        c->requests++;
        must(write(c->fd, &c->last, 1) == 1);
        watch(EPOLL_CTL_MOD, c);
        return;
    }
    must(got == 0 && c->requests == REQUESTS);
    close(c->fd);
    free(c);
}

static void *server(void *unused)
{
    struct epoll_event event;
    for (;;) {
        must(epoll_wait(epoll, &event, 1, -1) == 1);
        struct connection *c = event.data.ptr;
        if (c == stopping)
            return unused;
        if (c != listening) {
            handle(c);
            continue;
        }
        watch(EPOLL_CTL_ADD, connection(accept(listener, NULL, NULL)));
        watch(EPOLL_CTL_MOD, listening);
    }
}

static void *client(void *unused)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    must(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    for (int i = 0; i < REQUESTS; i++) {
        char c = (char)i, answer;
        must(send(fd, &c, 1, 0) == 1 && recv(fd, &answer, 1, 0) == 1 && answer == c);
    }
    close(fd);
    return unused;
}

int main(void)
{
    pthread_t servers[SERVERS], clients[CLIENTS];
    socklen_t size = sizeof name;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    must((listener = socket(AF_INET, SOCK_STREAM, 0)) >= 0 && (epoll = epoll_create1(0)) >= 0 &&
         pipe(stop) == 0);
    must(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, CLIENTS) == 0);
    must(getsockname(listener, (struct sockaddr *)&name, &size) == 0);
    watch(EPOLL_CTL_ADD, listening = connection(listener));
    stopping = connection(stop[0]);
    for (int i = 0; i < SERVERS; i++)
        pthread_create(&servers[i], NULL, server, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = stopping};
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, stop[0], &event) == 0 && write(stop[1], "!", 1) == 1);
    for (int i = 0; i < SERVERS; i++)
        pthread_join(servers[i], NULL);
    free(listening);
    free(stopping);
    return 0;
}
