/* FastTrack2 on a whole word in its plain form: pure, old word in, new word out (000 Fig. 1). */
#pragma once

#include "detect/fasttrack2_rules.h"
#include "shadow/cell.h"

/* R after a read: [READ EXCLUSIVE], [READ SHARE], [READ SHARED] or [READ SHARED SAME EPOCH]. */
hot_inline uint64_t word_after_read(uint64_t old, struct actor *t, struct conflict *c)
{
    uint32_t w = write_half(old), r = read_half(old);
    if (r == t->now || w == t->now) /* [READ SAME EPOCH], [READ OWN WRITE] */
        return old;
    if (unlikely(races_with_write(epoch_of_live(w), t->clock))) /* [WRITE-READ RACE] */
        *c = (struct conflict){w, PLAIN_WRITE};
    return (uint64_t)part_with(r, t) << 32 | w;
}

hot_inline uint64_t word_after_write(uint64_t old, struct actor *t, struct conflict *c)
{
    uint32_t w = write_half(old), r = read_half(old);
    if (w == t->now) /* [WRITE SAME EPOCH] */
        return old;
    if (unlikely(races_with_write(epoch_of_live(w), t->clock))) /* [WRITE-WRITE RACE] */
        *c = (struct conflict){w, PLAIN_WRITE};
    else if (r != 0) /* [READ-WRITE RACE], [SHARED-WRITE RACE], or [WRITE EXCLUSIVE], [WRITE SHARED] */
        *c = (struct conflict){sets_first_unordered(r, t->clock), PLAIN_READ};
    return t->now;
}

hot_inline uint64_t word_after(uint64_t old, enum access_kind kind, struct actor *t, struct conflict *c)
{
    return kind == PLAIN_READ ? word_after_read(old, t, c) : word_after_write(old, t, c);
}
