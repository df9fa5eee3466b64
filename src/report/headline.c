#include "report/headline.h"

#include <inttypes.h>

#include "report/own_frame.h"

static const char *thread_words(const struct live_thread *t, struct pool *pool)
{
    if (t == NULL)
        return "a thread that is not known any more";
    return t->id == 0 ? "the main thread" : pool_format(pool, "thread T%" PRIu64, t->id);
}

static const char *function_of(const struct live_access *a)
{
    const struct live_frame *own = live_stack_own(&a->stack);
    if (own == NULL && a->stack.count > 0)
        own = &a->stack.frame[0];
    return own != NULL ? own->function : NULL;
}

const char *live_access_headline(const struct live_access *a, struct pool *pool)
{
    static const char *const word[] = {"read", "write", "atomic read", "atomic write"};
    const char *function = function_of(a);
    const char *size = a->size == 0   ? ""
                       : a->size == 1 ? " of 1 byte"
                                      : pool_format(pool, " of %" PRIu64 " bytes", a->size);
    return pool_format(pool, "%s%s by %s%s%s", a->is_free ? "free" : word[a->kind], size,
                       thread_words(a->thread, pool), function != NULL ? " in " : "",
                       function != NULL ? function : "");
}

const char *live_location_headline(const struct live_location *l, struct pool *pool)
{
    static const char *const words[] = {[LIVE_UNKNOWN] = "memory",
                                        [LIVE_GLOBAL] = "a global variable",
                                        [LIVE_HEAP] = "a heap block",
                                        [LIVE_STACK] = "the stack",
                                        [LIVE_TLS] = "thread-local memory",
                                        [LIVE_MAPPED] = "mapped memory",
                                        [LIVE_DESCRIPTOR] = "a file descriptor"};
    if (l->place == LIVE_GLOBAL && l->name != NULL)
        return pool_format(pool, "global '%s'", l->name);
    if (l->place == LIVE_HEAP)
        return pool_format(pool, "a %sheap block of %" PRIu64 " bytes", l->freed ? "freed " : "", l->size);
    if (l->place == LIVE_DESCRIPTOR)
        return pool_format(pool, "file descriptor %" PRIu64, l->address);
    if (l->place == LIVE_STACK || l->place == LIVE_TLS)
        return pool_format(pool, "%s of %s", words[l->place], thread_words(l->thread, pool));
    return words[l->place];
}

const char *live_race_headline(const struct live_race *r, bool precise, struct pool *pool)
{
    const char *earlier = live_access_headline(&r->earlier, pool);
    return pool_format(pool, "%s on %s: %s, after %s %s", precise ? "Data race" : "Possible data race",
                       live_location_headline(&r->location, pool), live_access_headline(&r->current, pool),
                       earlier[0] == 'a' ? "an" : "a", earlier);
}
