/* The frame of a clock-based detector: its happens-before core, one `struct variable` per variable, and every
 * hook that is not a rule. A detector's file first defines
 *
 *   struct variable;                                     its state of one variable, zero when untouched
 *   void variable_clear(struct variable *, struct access_sets *)      back to untouched
 *   void variable_copy(struct variable *to, const struct variable *from, struct access_sets *)
 *   void variable_free(struct variable *, struct access_sets *)
 *   enum { ..., RULES }; static const struct rule_count rule_table[RULES]
 *
 * then includes this file, and then writes on_read, on_write and DETECTOR(..., struct clocked, ...).
 */
#pragma once

#include <string.h>

#include "detect/accesses.h"
#include "detect/drive.h"
#include "detect/hb.h"

struct clocked {
    struct host *host;
    uint64_t fired[RULES];
    struct hb hb;
    struct variable *variable;
    size_t variable_capacity;
    struct access_sets sets;
    struct rule_count counted[RULES];
};

static inline void on_alloc(struct clocked *d, uint32_t x)
{
    variable_clear(&d->variable[x], &d->sets);
}

static inline void on_start(struct clocked *d, uint32_t thread)
{
    hb_start(&d->hb, thread);
}

static inline void on_sync(struct clocked *d, const struct event *e)
{
    hb_sync(&d->hb, e);
}

static void *create(struct host *host)
{
    struct clocked *d = mem_alloc(&host->mem, sizeof *d);
    d->host = d->sets.host = host;
    hb_init(&d->hb, host, 0, 0);
    return d;
}

static void extend(void *self)
{
    struct clocked *d = self;
    hb_extend(&d->hb);
    d->variable = mem_reserve(&d->host->mem, d->variable, sizeof *d->variable, &d->variable_capacity,
                              d->host->extent.variables);
}

static void copy(void *self, uint32_t from, uint32_t to)
{
    struct clocked *d = self;
    variable_copy(&d->variable[to], &d->variable[from], &d->sets);
}

static void stats(void *self, struct detector_stats *out)
{
    struct clocked *d = self;
    hb_stats(&d->hb, rule_table, d->fired, d->counted, RULES, out);
    out->variable_bytes =
        d->variable_capacity * sizeof *d->variable + d->sets.capacity * sizeof *d->sets.set + d->sets.bytes;
    out->read_shared = d->sets.count - d->sets.free_count;
}

static void destroy(void *self)
{
    struct clocked *d = self;
    struct host *host = d->host;
    for (size_t i = 0; i < d->variable_capacity; i++)
        variable_free(&d->variable[i], &d->sets);
    access_sets_free(&d->sets);
    mem_free(&host->mem, d->variable, d->variable_capacity * sizeof *d->variable);
    hb_free(&d->hb);
    mem_free(&host->mem, d, sizeof *d);
}
