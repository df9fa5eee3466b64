/* The program that `photofinish run` runs: started with a place to report to, waited for, and sent the
 * signals that somebody sends to us instead of to it. */
#pragma once

#include "base/problem.h"

struct child {
    int pid;
    int socket;  /* processes of the program connect here (report/wire.h) */
    int signals; /* readable when something happened: child_check */
    bool ended;
    int status; /* then: as wait() gives it */
};

/* Looked up in PATH; runs on the library that has the detector. False: it cannot be run. */
bool child_start(struct child *child, char **argv, const char *detector, struct problem *problem);

/* Takes the signals that have come. */
void child_check(struct child *child);

/* A process that has connected, as a socket; -1: none now. */
int child_accept(const struct child *child);
