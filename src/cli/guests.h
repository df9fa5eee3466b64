/* The processes of a program that `photofinish run` or `record` has started, and what they say. */
#pragma once

#include "base/mem.h"
#include "cli/child.h"
#include "cli/packet.h"
#include "report/desk.h"

struct guest {
    int socket;
    struct desk_client *client;
};

struct guests {
    struct child *child;
    struct mem mem;
    struct guest *guest;
    size_t count, capacity;
    /* A packet has come; false: the guest is not one of ours, and is left. */
    bool (*said)(void *context, struct guest *guest, struct packet *packet);
    void *context;
};

/* Until the program has ended. */
void guests_serve(struct guests *guests);
void guests_free(struct guests *guests);

/* The exit status for a shell of the program that has ended; 128 + N, and a line in the log, if signal N
 * killed it. */
int guests_status(const struct child *child, const char *program, int log);

/* Why a program that has ended has said nothing, and so nothing was done ("checked", "recorded"). */
void guests_tell_unheard(const char *command, const char *program, const char *done);
