/* fasttrack2l: FastTrack2 with 64-bit epochs kept as they are (000 §8-9): no packing, no limits to handle.
 * 32 bytes per variable; the plain form of what fasttrack2 packs into 20. */
#include "detect/fasttrack2_variable.h"

struct variable {
    struct fasttrack2_variable state;
};

static inline void variable_clear(struct variable *v, struct access_sets *sets)
{
    fasttrack2_clear(&v->state, sets);
}

static inline void variable_copy(struct variable *to, const struct variable *from, struct access_sets *sets)
{
    to->state = fasttrack2_copy(&from->state, sets);
}

static inline void variable_free(struct variable *v, struct access_sets *sets)
{
    (void)v, (void)sets; /* read sets belong to the pool */
}

#include "detect/clocked.h"

static inline int on_read(struct clocked *d, uint32_t thread, uint32_t x, uint64_t n)
{
    return fasttrack2_read(&d->variable[x].state, &d->sets, &d->hb.thread[thread], x, n);
}

static inline int on_write(struct clocked *d, uint32_t thread, uint32_t x, uint64_t n)
{
    return fasttrack2_write(&d->variable[x].state, &d->sets, &d->hb.thread[thread], x, n);
}

DETECTOR(fasttrack2l, struct clocked, .name = "fasttrack2l", .source = "FastTrack2 (2017), 8-9",
         .promise = "precise; FastTrack2 with 64-bit epochs", .precise = true);
