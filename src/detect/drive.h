/* The replay loop around a detector's hooks, stamped out in the detector's own file so that the hooks inline:
 * one indirect call per block of events, none per event.
 *
 * The detector's state begins with `struct host *host` and has `uint64_t fired[]`, one counter per rule.
 * Hooks, for a state of type S (n is the event's number):
 *
 *   int  on_read(S *, uint32_t thread, uint32_t variable, uint64_t n)     returns the rule that fired
 *   int  on_write(S *, uint32_t thread, uint32_t variable, uint64_t n)
 *   void on_alloc(S *, uint32_t variable)
 *   void on_start(S *, uint32_t thread)              a thread that nobody forked begins
 *   void on_sync(S *, const struct event *)          everything else, outermost operations only
 */
#pragma once

#include "detect/detector.h"

#define DETECTOR_LOOP(S)                                                                                     \
    hot_inline void drive(S *self, const struct event *events, size_t count, uint64_t first, bool counting)  \
    {                                                                                                        \
        for (size_t i = 0; i < count; i++) {                                                                 \
            const struct event *e = &events[i];                                                              \
            if (unlikely(e->flags & EVENT_STARTS_THREAD))                                                    \
                on_start(self, e->thread);                                                                   \
            int rule;                                                                                        \
            if (likely(e->op == OP_READ))                                                                    \
                rule = on_read(self, e->thread, e->target, first + i);                                       \
            else if (likely(e->op == OP_WRITE))                                                              \
                rule = on_write(self, e->thread, e->target, first + i);                                      \
            else {                                                                                           \
                if (e->op == OP_ALLOC)                                                                       \
                    on_alloc(self, e->target);                                                               \
                else if (e->op < OP_BEGIN)                                                                   \
                    on_sync(self, e);                                                                        \
                continue;                                                                                    \
            }                                                                                                \
            if (counting)                                                                                    \
                self->fired[rule]++;                                                                         \
        }                                                                                                    \
    }                                                                                                        \
    static void block(void *self, const struct event *events, size_t count, uint64_t first)                  \
    {                                                                                                        \
        struct host *host = ((S *)self)->host;                                                               \
        host->events = events;                                                                               \
        host->first = first;                                                                                 \
        if (host->count_rules)                                                                               \
            drive(self, events, count, first, true);                                                         \
        else                                                                                                 \
            drive(self, events, count, first, false);                                                        \
    }

/* DETECTOR(id, S, .name = ..., .source = ..., .promise = ..., .precise = ...) */
#define DETECTOR_SYMBOL_(id) detector_##id
#define DETECTOR_SYMBOL(id)  DETECTOR_SYMBOL_(id)
#define DETECTOR(id, S, ...)                                                                                 \
    DETECTOR_LOOP(S)                                                                                         \
    const struct detector DETECTOR_SYMBOL(id) = {__VA_ARGS__,       .create = create, .extend = extend,      \
                                                 .block = block,    .copy = copy,     .stats = stats,        \
                                                 .destroy = destroy}
