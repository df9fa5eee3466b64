/* The defaults and limits of the generator's options. */
#include "trace/generate.h"

const struct generate_options generate_defaults = {
#define X(name, value, help) .name = (value),
    GENERATE_OPTIONS(X)
#undef X
};

static bool in_range(const char *name, uint64_t value, uint64_t least, uint64_t most, struct problem *problem)
{
    if (value >= least && value <= most)
        return true;
    return problem_set(problem, 0, "--%s must be between %llu and %llu", name, (unsigned long long)least,
                       (unsigned long long)most);
}

bool generate_check(const struct generate_options *o, struct problem *problem)
{
    /* threads * events stays below 2^64 */
    const uint64_t most_threads = UINT64_C(1) << 24, most_events = UINT64_C(1) << 39;
#define COUNT(name, least) in_range(#name, o->name, least, UINT64_C(1) << 28, problem)
#define PERCENT(name)      in_range(#name, o->name, 0, 100, problem)
    if (o->live == 1 && o->threads > 1)
        return problem_set(problem, 0, "--live must be 0 or at least 2");
    return in_range("threads", o->threads, 1, most_threads, problem) && COUNT(locks, 0) && COUNT(vars, 1) &&
           COUNT(volatiles, 0) && COUNT(barriers, 0) &&
           in_range("events", o->events, 0, most_events, problem) && PERCENT(discipline) &&
           PERCENT(sharing) && PERCENT(writes) && PERCENT(repeat) && PERCENT(readers) && PERCENT(reentrant) &&
           PERCENT(sync) && PERCENT(allocs) && PERCENT(joins) && PERCENT(switches);
#undef COUNT
#undef PERCENT
}
