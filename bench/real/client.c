/* client SOCKET CONNECTIONS QUESTIONS END: drives a server, whose CPU time is measured, and is built without any tool.
 * Every connection sends standard input, with its own letter in the place of each `@`, without waiting for answers;
 * its last command makes the server close the connection. Prints a checksum of the answers of each connection, and the
 * answers to QUESTIONS, asked when all of them are done. At last it sends END, which ends the server. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 26, ROOM = 1 << 16, TRIES = 6000, BETWEEN_TRIES = 10000 };

struct connection {
    char *text; /* NULL: all is sent */
    size_t length, sent, received;
    unsigned long long sum;
};

static _Noreturn void give_up(const char *what)
{
    perror(what);
    exit(1);
}

/* The server starts at the same time, and under some tools slowly. */
static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    for (int tries = 0; tries < TRIES; tries++) {
        int s = socket(AF_UNIX, SOCK_STREAM, 0);
        if (s < 0)
            give_up("client: socket");
        if (connect(s, (struct sockaddr *)&address, sizeof address) == 0)
            return s;
        close(s);
        usleep(BETWEEN_TRIES);
    }
    give_up("client: connect");
}

static char *read_all(FILE *from, size_t *length)
{
    char *text = NULL;
    for (*length = 0;;) {
        text = realloc(text, *length + ROOM);
        if (text == NULL)
            give_up("client: memory");
        size_t got = fread(text + *length, 1, ROOM, from);
        if (got == 0)
            return text;
        *length += got;
    }
}

static char *with_letter(const char *text, size_t length, char letter)
{
    char *own = malloc(length);
    if (own == NULL)
        give_up("client: memory");
    for (size_t i = 0; i < length; i++)
        own[i] = text[i] == '@' ? letter : text[i];
    return own;
}

static void send_some(struct connection *c, int s)
{
    ssize_t sent = send(s, c->text + c->sent, c->length - c->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN)
        give_up("client: send");
    c->sent += sent > 0 ? (size_t)sent : 0;
    if (c->sent == c->length) {
        free(c->text);
        c->text = NULL;
    }
}

/* False: the server has closed the connection. */
static int receive_some(struct connection *c, int s)
{
    char answer[ROOM];
    ssize_t got = recv(s, answer, sizeof answer, 0);
    if (got < 0)
        give_up("client: recv");
    for (ssize_t i = 0; i < got; i++)
        c->sum = (c->sum ^ (unsigned char)answer[i]) * 1099511628211u;
    c->received += (size_t)got;
    return got > 0;
}

static void talk(struct connection *connection, struct pollfd *poller, nfds_t connections)
{
    for (nfds_t open = connections; open > 0;) {
        for (nfds_t i = 0; i < connections; i++)
            poller[i].events = (short)(connection[i].text != NULL ? POLLIN | POLLOUT : POLLIN);
        if (poll(poller, connections, -1) < 0)
            give_up("client: poll");
        for (nfds_t i = 0; i < connections; i++) {
            if ((poller[i].revents & (POLLIN | POLLHUP | POLLERR)) &&
                !receive_some(&connection[i], poller[i].fd)) {
                close(poller[i].fd);
                poller[i].fd = -1; /* poll ignores it */
                open--;
            } else if (poller[i].revents & POLLOUT) {
                send_some(&connection[i], poller[i].fd);
            }
        }
    }
}

static void say(int s, const char *text)
{
    if (send(s, text, strlen(text), MSG_NOSIGNAL) < 0)
        give_up("client: send");
}

static void ask(const char *path, const char *questions)
{
    char answer[ROOM];
    int s = connect_to(path);
    say(s, questions);
    for (ssize_t got; (got = recv(s, answer, sizeof answer, 0)) > 0;)
        fwrite(answer, 1, (size_t)got, stdout);
    close(s);
}

int main(int argc, char **argv)
{
    struct connection connection[MOST_CONNECTIONS] = {0};
    struct pollfd poller[MOST_CONNECTIONS] = {0};
    int connections = argc == 5 ? atoi(argv[2]) : 0;
    if (connections < 1 || connections > MOST_CONNECTIONS) {
        fprintf(stderr, "usage: client SOCKET CONNECTIONS QUESTIONS END\n");
        return 2;
    }
    size_t length;
    char *text = read_all(stdin, &length);
    for (int i = 0; i < connections; i++) {
        connection[i] = (struct connection){with_letter(text, length, (char)('a' + i)), length, 0, 0,
                                            14695981039346656037u};
        poller[i].fd = connect_to(argv[1]);
    }
    talk(connection, poller, (nfds_t)connections);
    for (int i = 0; i < connections; i++)
        printf("%zu %llx\n", connection[i].received, connection[i].sum);
    ask(argv[1], argv[3]);
    fflush(stdout); /* before the server ends, and with it the run */
    say(connect_to(argv[1]), argv[4]);
    return 0;
}
