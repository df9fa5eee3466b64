/* Where messages of running programs become reports: unpacked, given names, held against the suppressions,
 * written.
 *
 * A client is one process of a program. Its options come with it (they are the program's environment and
 * defaults); the suppressions of the desk itself apply to all clients.
 */
#pragma once

#include "report/completeness.h"
#include "report/suppress.h"

struct desk {
    struct symbols *symbols;
    struct suppressions suppressions;
    struct suppressions defaults; /* report/default.supp; for clients whose options do not turn it off */
    int log;                      /* write all text here; -1: each client says where */
    bool clients_may_log;         /* ... but for what a client's log_path takes */
    int log_error;                /* of the first write to `log` that failed; 0: none has */
    bool failed;                  /* a client's reports could not be written */
    bool quiet;                   /* a line a race */
    bool none_count; /* for the program, which looks for more on the same memory, and ends as it would */
    /* Called for every one that is not suppressed; NULL: not. */
    void (*on_race)(void *context, const struct live_race *race, bool known);
    bool (*is_known)(void *context,
                     const char *fingerprint); /* a known race has a line; NULL: none is known */
    void *context;
    bool (*is_precise)(const char *detector); /* NULL: all are */
    int exit_code;                            /* for all clients; -1: what each one's options say */
    uint64_t reported, suppressed, known;     /* each race is one of them */
    struct completeness completeness;
    uint32_t program_pid; /* the process whose own exit status is wanted; 0: none's */
    int program_status;   /* that, -1: not known */
};

struct desk_client {
    struct options options;
    struct suppressions suppressions;
    char *program; /* path of its executable, or NULL */
    uint32_t pid;
    uint32_t reported, suppressed;
    bool log_failed;        /* its reports could not be written; a line has said so of log_path */
    struct told_race *told; /* known races that have had their line */
};

void desk_open(struct desk *desk);
void desk_close(struct desk *desk);

struct desk_client *desk_client_new(void);
void desk_client_free(struct desk_client *client);

/* Lists those that have matched nothing; true: there were some. */
bool desk_put_unused(FILE *out, const struct suppressions *list);

enum desk_result { DESK_TAKEN, DESK_ANSWER, DESK_REFUSED, DESK_UNKNOWN };

/* Takes one message; `out` is where its text may go (-1: nowhere). ANSWER: *verdict is to be sent back.
 * UNKNOWN: not a message of this version; whoever sent it must not be left waiting. */
enum desk_result desk_take(struct desk *desk, struct desk_client *client, const void *message, size_t length,
                           int out, struct wire_verdict *verdict);

/* The user has closed standard error, or the pipe behind it, and wants nothing there: not a failure. */
bool desk_log_unwanted(int error);
