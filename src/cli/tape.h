/* The tapes of a program's processes (trace/tape.h): windows of shared memory that they write, kept in a
 * temporary file until the process has ended, then transcribed. */
#pragma once

#include "base/problem.h"
#include "cli/transcribe.h"

struct tape {
    uint32_t pid;
    char *path;               /* of the trace */
    int memory;               /* of the windows */
    struct tape_slot *window; /* TAPE_WINDOWS times TAPE_WINDOW */
    uint64_t current;         /* number of the window being written */
    bool ended;               /* nothing more is written */
    FILE *kept;
    int error;    /* of the first write to it that failed: nothing more is kept */
    bool damaged; /* the program has written over it: nothing more is kept */
    uint64_t window_count;
    struct transcript *transcript;
};

/* False: there is no memory, or no place for a temporary file. */
bool tape_start(struct tape *tape, uint32_t pid, const char *path, struct problem *problem);

/* The process goes on to the next window. False: it has none (the tape is full, or that is not the next).
 * Then tape_keep is due, with the process already at work. */
bool tape_turn(struct tape *tape, uint64_t window);
/* Keeps the window before the current one. False: nothing more is kept; tape->error says why, or
 * tape->damaged. */
bool tape_keep(struct tape *tape);

/* The process has ended, or has become another program: keeps the rest. */
bool tape_end(struct tape *tape);

/* All of it, into the trace. */
bool tape_transcribe(struct tape *tape, struct output *output, struct problem *problem);

void tape_free(struct tape *tape);
