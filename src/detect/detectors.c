#include "detect/detectors.h"

#include <string.h>

const struct detector *const detectors[] = {
#define X(name) &detector_##name,
    DETECTORS(X)
#undef X
        NULL,
};

const struct detector *detector_named(const char *name)
{
    for (size_t i = 0; detectors[i] != NULL; i++)
        if (strcmp(detectors[i]->name, name) == 0)
            return detectors[i];
    return NULL;
}

bool detector_is_precise(const char *name)
{
    const struct detector *d = detector_named(name);
    return d == NULL || d->precise;
}

void host_race(struct host *host, enum race_kind kind, uint32_t variable, uint64_t earlier, uint64_t current)
{
    const struct event *e = &host->events[current - host->first];
    struct race race = {
        .variable = variable,
        .kind = kind,
        .first = {.event = earlier, .thread = UNKNOWN_THREAD, .location = NO_LOCATION},
        .second = {.event = current, .thread = e->thread, .location = e->location},
    };
    host->found(host->to, &race);
}

void stats_rules(struct detector_stats *out, const struct rule_count *table, const uint64_t *fired,
                 struct rule_count *counted, size_t rules)
{
    for (size_t i = 0; i < rules; i++) {
        counted[i] = table[i];
        counted[i].fired = fired[i];
    }
    out->rules = counted;
    out->rule_count = rules;
}
