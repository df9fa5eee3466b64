/* Thread-per-request server on loopback: a thread accepts connections and starts a thread for each, which
 * nobody joins; it answers until the client closes. The server keeps numbers by name: "put NAME NUMBER" is
 * answered with the number that was there before, "get NAME" with the number; 0 if there is none. THREADS
 * clients in the same process check all answers. SIZE is the number of connections. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

enum { BUCKETS = 1 << 10, LONGEST_NAME = 24, LONGEST_LINE = 64, NAMES = 64, ASKS = 3 };

struct entry {
    struct entry *next;
    char name[LONGEST_NAME];
    unsigned long number;
};

static struct entry *bucket[BUCKETS];
static uint64_t answered, connections; /* connections: that are open */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t closed = PTHREAD_COND_INITIALIZER;

static struct sockaddr_in address;
static int listener;
static uint64_t *wrong_answers;

static void give_up(const char *what)
{
    perror(what);
    exit(2);
}

/* A connection, and what was received of it and is not used yet. */
struct stream {
    int fd;
    size_t length;
    char byte[LONGEST_LINE];
};

/* The next line without its end; false if there is none. */
static bool receive_line(struct stream *from, char *line)
{
    for (;;) {
        char *end = memchr(from->byte, '\n', from->length);
        if (end != NULL) {
            size_t length = (size_t)(end - from->byte);
            memcpy(line, from->byte, length);
            line[length] = '\0';
            from->length -= length + 1;
            memmove(from->byte, end + 1, from->length);
            return true;
        }
        ssize_t got = recv(from->fd, from->byte + from->length, sizeof from->byte - from->length, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        from->length += (size_t)got;
    }
}

static void send_line(int to, const char *line)
{
    for (size_t length = strlen(line); length > 0;) {
        ssize_t sent = send(to, line, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return; /* the other end finds an answer missing */
        line += sent;
        length -= (size_t)sent;
    }
}

/* With the lock. The entry of that name, a new one if there is none. */
static struct entry *find(const char *name)
{
    unsigned hash = 5381;
    for (const char *at = name; *at != '\0'; at++)
        hash = hash * 33 + (unsigned char)*at;
    struct entry **first = &bucket[hash % BUCKETS], *e = *first;
    while (e != NULL && strcmp(e->name, name) != 0)
        e = e->next;
    if (e == NULL) {
        e = program_memory(1, sizeof *e);
        strcpy(e->name, name);
        e->next = *first;
        *first = e;
    }
    return e;
}

static void answer(const char *request, char *reply)
{
    char what[4], name[LONGEST_NAME];
    unsigned long number = 0, found;
    int parts = sscanf(request, "%3s %23s %lu", what, name, &number);
    if (parts < 2) {
        strcpy(reply, "?\n");
        return;
    }
    pthread_mutex_lock(&lock);
    struct entry *e = find(name);
    found = e->number;
    if (parts == 3)
        e->number = number;
    answered++;
    pthread_mutex_unlock(&lock);
    snprintf(reply, LONGEST_LINE, "%s %lu\n", name, found);
}

static void *serve(void *argument)
{
    struct stream *client = argument;
    char line[LONGEST_LINE], reply[LONGEST_LINE];
    while (receive_line(client, line)) {
        answer(line, reply);
        send_line(client->fd, reply);
    }
    close(client->fd);
    free(client);
    pthread_mutex_lock(&lock);
    if (--connections == 0)
        pthread_cond_signal(&closed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void serve_in_thread(int fd, const pthread_attr_t *detached)
{
    struct stream *client = program_memory(1, sizeof *client);
    client->fd = fd;
    pthread_mutex_lock(&lock);
    connections++;
    pthread_mutex_unlock(&lock);
    pthread_t thread;
    int problem = pthread_create(&thread, detached, serve, client);
    if (problem != 0) {
        errno = problem;
        give_up("no thread");
    }
}

/* Until the listener is shut down. */
static void *accept_all(void *unused)
{
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd >= 0)
            serve_in_thread(fd, &detached);
        else if (errno != EINTR && errno != ECONNABORTED)
            break;
    }
    pthread_attr_destroy(&detached);
    return unused;
}

static bool ask(struct stream *server, const char *request, const char *name, unsigned long number)
{
    char line[LONGEST_LINE], expected[LONGEST_LINE];
    snprintf(expected, sizeof expected, "%s %lu", name, number);
    send_line(server->fd, request);
    return receive_line(server, line) && strcmp(line, expected) == 0;
}

static bool put(struct stream *server, const char *name, unsigned long number, unsigned long before)
{
    char request[LONGEST_LINE];
    snprintf(request, sizeof request, "put %s %lu\n", name, number);
    return ask(server, request, name, before);
}

static bool get(struct stream *server, const char *name, unsigned long number)
{
    char request[LONGEST_LINE];
    snprintf(request, sizeof request, "get %s\n", name);
    return ask(server, request, name, number);
}

/* A connection with ASKS requests; returns how many were not answered as they should be. The client's names
 * are its own, so it knows the number of each. */
static uint64_t connect_and_ask(unsigned me, unsigned which, unsigned long *number, unsigned long new)
{
    struct stream server = {.fd = socket(AF_INET, SOCK_STREAM, 0)};
    if (server.fd < 0 || connect(server.fd, (struct sockaddr *)&address, sizeof address) != 0)
        give_up("cannot connect");
    char name[LONGEST_NAME];
    snprintf(name, sizeof name, "client%u.%u", me, which);
    uint64_t wrong = !get(&server, name, *number);
    wrong += !put(&server, name, new, *number);
    wrong += !get(&server, name, new);
    *number = new;
    close(server.fd);
    return wrong;
}

static void work(unsigned me)
{
    uint32_t seed = me + 1;
    unsigned long number[NAMES] = {0};
    uint64_t wrong = 0;
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        unsigned which = (random_next(&seed) >> 8) % NAMES;
        wrong += connect_and_ask(me, which, &number[which], random_next(&seed));
    }
    wrong_answers[me] = wrong;
}

static void listen_on_loopback(void)
{
    socklen_t length = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, MOST_THREADS) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        give_up("cannot listen on loopback");
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 600);
    wrong_answers = program_memory(threads, sizeof *wrong_answers);
    listen_on_loopback();
    pthread_t acceptor;
    if (pthread_create(&acceptor, NULL, accept_all, NULL) != 0)
        give_up("no thread");
    program_run(work);
    shutdown(listener, SHUT_RDWR);
    pthread_join(acceptor, NULL);
    close(listener);
    pthread_mutex_lock(&lock);
    while (connections > 0)
        pthread_cond_wait(&closed, &lock);
    uint64_t answers = answered;
    pthread_mutex_unlock(&lock);
    uint64_t wrong = 0;
    for (unsigned i = 0; i < threads; i++)
        wrong += wrong_answers[i];
    return program_end("the number of answers", answers, size * ASKS) |
           program_end("answers that are wrong", wrong, 0);
}
