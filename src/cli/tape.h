/* The tapes of a program's processes (trace/tape.h): memory that they write, and a thread of ours that brings
 * what they have written to a file (trace/tape_file.h). */
#pragma once

#include <pthread.h>
#include <time.h>

#include "cli/places.h"
#include "trace/tape_file.h"

struct tape {
    uint32_t pid;
    char *path; /* of the recording */
    int shared; /* descriptor of the memory */
    struct tape_memory *memory;
    size_t memory_size;
    uint32_t block_count;
    struct places *places;
    uint64_t accesses;
    bool ended;   /* nothing more is written */
    bool damaged; /* the program has written over it: nothing more is kept */
    int error;    /* of the first write that failed: nothing more is kept */

    pthread_t keeper;
    pthread_mutex_t lock; /* of what follows, and places, accesses */
    struct tape_file file;
    uint32_t ending;                                 /* the keeper shall come to an end */
    uint32_t drained;                                /* full blocks that were kept */
    bool told;                                       /* of damage or an error */
    void (*broke)(void *context, struct tape *tape); /* called once, by whoever finds it */
    void *context;
    uint64_t kept[TAPE_BLOCKS];    /* of a block: what of it, as tape_head.written says it */
    uint64_t written[TAPE_BLOCKS]; /* likewise: what there was when it was last looked at */
    time_t looked;                 /* when that was, in seconds */
    uint8_t copy[TAPE_BLOCK];
    char *names; /* of a block of names: what there is so far */
    size_t names_size;
};

/* Begins; from now on the process can write. The tape stays where it is. False: there is no memory. */
bool tape_start(struct tape *tape, uint32_t pid, const char *path, int fd, struct problem *problem);

/* The process has (new) modules. */
void tape_look(struct tape *tape);

/* The process has ended, or has become another program, or is left to itself: keeps what there still is, and
 * names. False: not all of it is in the recording; tape->error or tape->damaged says why. */
bool tape_end(struct tape *tape);

/* After its end. */
void tape_free(struct tape *tape);
