/* What was released into a sync object: a vector clock that threads join when they acquire.
 *
 *   acquire   C_t := C_t ⊔ S
 *   release   S := C_t              for a lock: the releaser has acquired S, so S ⊑ C_t
 *   publish   S := S ⊔ C_t          where several may release without having acquired
 *
 * After a release or publish the thread must tick its own clock (the caller's business).
 *
 * `snapshot`: the whole clock is what one thread knew at this epoch; none when several published. A thread that
 * knows the epoch knows the snapshot: acquiring it again costs one comparison.
 */
#pragma once

#include <string.h>

#include "base/count.h"
#include "clock/vclock.h"

struct mailbox {
    uint32_t *clock;
    uint32_t length, capacity; /* length 0: nothing was released */
    epoch snapshot;
};

hot_inline bool mailbox_known(const struct mailbox *s, const uint32_t *clock)
{
    return s->length == 0 || (!epoch_is_none(s->snapshot) && epoch_before(s->snapshot, clock));
}

/* False: the thread knew it all. */
hot_inline bool mailbox_acquire(const struct mailbox *s, uint32_t *clock)
{
    if (mailbox_known(s, clock)) {
        if (s->length != 0)
            count(JOINS_SKIPPED);
        return false;
    }
    count(JOINS);
    vclock_join(clock, s->clock, s->length);
    return true;
}

/* For the next two: the thread's clock has `slots` entries in use, and the capacity is at least that. */

hot_inline void mailbox_release(struct mailbox *s, const uint32_t *clock, uint32_t slots, epoch now)
{
    vclock_copy(s->clock, clock, slots);
    s->length = slots;
    s->snapshot = now;
}

hot_inline void mailbox_publish(struct mailbox *s, const uint32_t *clock, uint32_t slots, epoch now)
{
    if (mailbox_known(s, clock)) { /* S ⊑ C_t: the join is C_t */
        mailbox_release(s, clock, slots, now);
        return;
    }
    memset(s->clock + s->length, 0, (slots > s->length ? slots - s->length : 0) * sizeof *clock);
    vclock_join(s->clock, clock, slots);
    s->length = slots > s->length ? slots : s->length;
    s->snapshot = (epoch){0};
}

hot_inline void mailbox_forget(struct mailbox *s)
{
    s->length = 0;
    s->snapshot = (epoch){0};
}
