#include "replay/replay.h"

static void keep_race(void *to, const struct race *race)
{
    struct replay *r = to;
    uint64_t *word = &r->racy[race->variable / 64];
    uint64_t bit = UINT64_C(1) << race->variable % 64;
    if ((*word & bit) && !r->options.all)
        return;
    *word |= bit;
    r->race = mem_reserve(&r->mem, r->race, sizeof *r->race, &r->race_capacity, r->race_count + 1);
    r->race[r->race_count++] = *race;
}

void replay_init(struct replay *r, const struct detector *detector, const struct names *names,
                 const struct replay_options *options)
{
    *r = (struct replay){.detector = detector, .names = names, .options = *options};
    r->host = (struct host){.count_rules = options->count_rules,
                            .closed_world = options->closed_world,
                            .found = keep_race,
                            .to = r};
    r->feasible = feasible_new(names, options->closed_world);
    r->state = detector->create(&r->host);
}

void replay_free(struct replay *r)
{
    r->detector->destroy(r->state);
    require(r->host.mem.bytes == 0); /* the account is exact: so are the figures made from it */
    feasible_free(r->feasible);
    mem_free(&r->mem, r->race, r->race_capacity * sizeof *r->race);
    mem_free(&r->mem, r->racy, r->racy_capacity * sizeof *r->racy);
}

static bool extent_same(const struct extent *a, const struct extent *b)
{
    return a->threads == b->threads && a->variables == b->variables && a->locks == b->locks &&
           a->volatiles == b->volatiles && a->rounds == b->rounds;
}

static void extend(struct replay *r)
{
    const struct name_table *of = r->names->of;
    struct extent extent = {.threads = (uint32_t)of[NAME_THREAD].count,
                            .variables = (uint32_t)of[NAME_VARIABLE].count,
                            .locks = (uint32_t)of[NAME_LOCK].count,
                            .volatiles = (uint32_t)of[NAME_VOLATILE].count,
                            .rounds = feasible_rounds(r->feasible)};
    if (extent_same(&extent, &r->host.extent))
        return;
    r->host.extent = extent;
    r->racy = mem_reserve(&r->mem, r->racy, sizeof *r->racy, &r->racy_capacity, extent.variables / 64 + 1);
    r->detector->extend(r->state);
}

size_t replay_feed(struct replay *r, struct event *events, size_t count, struct problem *problem)
{
    size_t good = feasible_check(r->feasible, events, count, problem);
    extend(r);
    r->detector->block(r->state, events, good, r->events + 1);
    r->events += good;
    return good;
}
