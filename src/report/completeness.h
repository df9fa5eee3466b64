/* What a verdict rests on: what of the program was not seen. Added up over its processes. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "report/pool.h"
#include "report/raw.h"

/* Names in the order in which they came, each once. */
struct names_seen {
    const char **name;
    size_t count, capacity;
};

struct completeness {
    struct pool pool;
    struct mem mem;
    uint64_t processes; /* that told it at their end */
    uint64_t unseen;    /* those with threads that nobody was seen to create: not everything was checked */
    uint64_t refused;   /* those that were not let run: nothing of them was checked */
    uint64_t off;       /* those that told it with report_bugs=0: nothing of them was reported */
    uint64_t overwritten_threads, overwritten_entries, ignored_regions, benign_ranges;
    struct names_seen calls;   /* not modelled */
    struct names_seen modules; /* paths of all */
    struct names_seen missed;  /* those among them that are not instrumented */
    struct names_seen files;   /* of the others: "FILE in MODULE", where the file is not (plain_files.h) */
};

void completeness_add(struct completeness *c, const struct raw_finish *finish);
void completeness_add_json(struct completeness *c, const json_t *json); /* what completeness_json has made */
void completeness_text(const struct completeness *c, FILE *out);
/* A line, if a library was there whose threads order each other in ways that are not seen: reports may then
 * be of accesses that are ordered. */
void completeness_warning(const struct completeness *c, FILE *out);
/* Why a run without a race is not a clean one; NULL: it is. */
const char *completeness_doubt(const struct completeness *c);
json_t *completeness_json(const struct completeness *c);
void completeness_free(struct completeness *c);

/* How a file of a program was built, from its symbol tables. */
enum instrumented {
    INSTRUMENTED_NOT,
    INSTRUMENTED,              /* for the runtime that it is linked or loaded with */
    INSTRUMENTED_OTHER_RUNTIME /* TSan's own runtime is linked into it */
};
enum instrumented module_instrumented(const char *path);
