/* A small trace and how to put it to a detector: run, compare with the definition, shrink, print. */
#pragma once

#include <stdio.h>

#include "detect/detectors.h"
#include "support/judge.h"
#include "trace/names.h"

struct trial {
    struct event event[JUDGE_MOST];
    size_t count;
    bool closed;      /* feed it as a closed world */
    bool count_rules; /* drive the detector with counters on */
    bool names_grow;  /* the detector hears of an id no sooner than in the block that has it */
    size_t block;     /* events a block */
};

/* What a detector said: the first race of each variable, in the order found. */
struct answer {
    size_t count;
    struct race race[JUDGE_MOST];
};

/* Why a detector is wrong; line[0] is 0 where it is right. */
struct verdict {
    char line[200];
};

/* A name for an id where no trace text gives one: T3, L0, V7, A1, B0. */
void trial_name(enum name_class class, uint32_t id, char text[16]);

/* Is the trace feasible? If not, *good is how many of its events are, and the reason is printed to `out`
 * unless that is NULL. */
bool trial_feasible(const struct trial *trial, size_t *good, FILE *out);

/* The trace must be feasible. */
void trial_run(const struct trial *trial, const struct detector *detector, struct answer *answer);

/* Compares an answer with the definition: the set of (variable, second event), and for each that the first
 * access is one that really races with the second, with the right kind and thread. */
void trial_compare(const struct judge *judge, const struct answer *answer, struct verdict *verdict);

/* Removes events as long as the detector stays wrong on what remains. */
void trial_shrink(struct trial *trial, const struct detector *detector);

/* The trace in STD form, headed by what is expected and what the detector says, as tests/traces/ has them. */
void trial_print(const struct trial *trial, const struct detector *detector, FILE *out);
