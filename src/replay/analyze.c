#include "replay/analyze.h"

#include <stdlib.h>

#include "replay/progress.h"

/* --- first pass: detect --- */

static bool detect(struct analysis *a, struct batch *batch, struct problem *problem)
{
    struct progress progress;
    progress_start(&progress, "analyzing");
    enum read_result result;
    bool good = true;
    while (good && (result = reader_next(&a->reader, batch)) == READ_EVENTS) {
        size_t fed = replay_feed(&a->replay, batch->event, batch->count, problem);
        if (fed < batch->count) {
            problem->line = batch->line[fed];
            good = false;
        }
        progress_update(&progress, a->source.consumed, a->source.size, a->replay.events);
    }
    if (good && result == READ_BAD) {
        *problem = a->reader.problem;
        good = false;
    }
    progress_end(&progress);
    return good;
}

/* --- second pass: who was the first access? --- */

static int by_first_event(const void *a, const void *b)
{
    uint64_t x = (*(struct race *const *)a)->first.event, y = (*(struct race *const *)b)->first.event;
    return x < y ? -1 : x > y;
}

/* Is this the access that the detector meant? If not, the trace is not what it was in the first pass. */
static bool is_first_access(const struct event *e, const struct race *race, const struct names *names)
{
    bool named = e->location != NO_LOCATION && (e->location & LOCATION_NAMED) != 0;
    return op_is_access(e->op) && e->target == race->variable && e->thread < names->of[NAME_THREAD].count &&
           (!named || (e->location & ~LOCATION_NAMED) < names->of[NAME_LOCATION].count);
}

/* Takes from the batch what the races from *next on want of it. */
static bool look_up(const struct batch *batch, struct race **wanted, size_t count, size_t *next,
                    const struct names *names)
{
    uint64_t end = batch->first + batch->count;
    for (; *next < count && wanted[*next]->first.event < end; ++*next) {
        struct race_access *first = &wanted[*next]->first;
        const struct event *e = &batch->event[first->event - batch->first];
        if (!is_first_access(e, wanted[*next], names))
            return false;
        first->thread = e->thread;
        first->location = e->location;
    }
    return true;
}

static bool look_up_all(struct analysis *a, struct batch *batch, struct race **wanted,
                        struct problem *problem)
{
    struct reader again;
    size_t count = a->replay.race_count, next = 0;
    if (!source_rewind(&a->source, problem) || !reader_open(&again, &a->source, a->reader.format, problem))
        return false;
    again.salvage = a->salvage;
    struct progress progress;
    progress_start(&progress, "looking up");
    while (next < count && reader_next(&again, batch) == READ_EVENTS) {
        if (!look_up(batch, wanted, count, &next, &a->reader.names))
            break;
        progress_update(&progress, a->source.consumed, a->source.size, again.events);
    }
    progress_end(&progress);
    reader_close(&again);
    return next == count || problem_set(problem, 0, "the trace changed while it was read");
}

static bool complete_races(struct analysis *a, struct batch *batch, struct problem *problem)
{
    size_t count = a->replay.race_count;
    if (count == 0)
        return true;
    struct mem mem = {0};
    struct race **wanted = mem_alloc(&mem, count * sizeof *wanted);
    for (size_t i = 0; i < count; i++)
        wanted[i] = &a->replay.race[i];
    qsort(wanted, count, sizeof *wanted, by_first_event);
    bool found = look_up_all(a, batch, wanted, problem);
    mem_free(&mem, wanted, count * sizeof *wanted);
    return found;
}

/* --- both --- */

static bool run_opened(struct analysis *a, struct problem *problem)
{
    struct replay_options options = {
        .all = a->all, .count_rules = a->count_rules, .closed_world = a->reader.closed_world};
    replay_init(&a->replay, a->detector, &a->reader.names, &options);
    struct mem mem = {0};
    struct batch *batch = mem_alloc(&mem, sizeof *batch);
    bool good = detect(a, batch, problem) && complete_races(a, batch, problem);
    mem_free(&mem, batch, sizeof *batch);
    if (!good)
        replay_free(&a->replay);
    return good;
}

bool analysis_run(struct analysis *a, struct problem *problem)
{
    if (!source_open(&a->source, a->path, true, problem))
        return false;
    if (reader_open(&a->reader, &a->source, a->format, problem)) {
        a->reader.salvage = a->salvage;
        if (run_opened(a, problem))
            return true;
        reader_close(&a->reader);
    }
    source_close(&a->source);
    return false;
}

void analysis_free(struct analysis *a)
{
    replay_free(&a->replay);
    reader_close(&a->reader);
    source_close(&a->source);
}
