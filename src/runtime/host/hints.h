/* Repetitions that the program's own code recognizes.
 *
 * What pfcc compiles looks at the shadow before it calls __tsan_readN and the like: were these words read, or
 * written, in the thread's epoch (thread_now)? Under the recorder nothing else uses the shadow. A word that
 * the filter (host/stream.h) has found accessed again gets a hint there: the number of the thread's epoch,
 * which no other thread and no other epoch has. The next access to it is no call any more. Only whole words
 * have hints, and a thread's hint takes the place of another's: that one calls again, and nothing is lost.
 *
 * Where most words are accessed again, the first access gives the hint.
 *
 * Epochs end with a release, as those of the filter do. The next one has another number from its beginning on:
 * code that clang has compiled looks at thread_now before a loop, not in it. (If no word has the number, it is as good as
 * another one.) A thread without a number has NOT_NARROW there, which is in no word. Only thread_now has the number, not
 * thread.actor: whatever makes them agree (a fiber that is switched to, a thread that is created) takes it away.
 *
 * Memory that is cleared loses its hints. Who clears counts (stream_clears), then empties the words, with a
 * full fence between; who gives a hint looks at the count afterwards, likewise: it is either emptied by the
 * one or taken back by the other. A thread that releases in the name of another counts and then takes away its
 * number in the same way.
 */
#pragma once

#include "runtime/thread.h"
#include "shadow/map.h"
#include "trace/tape.h"

enum { HINT_BATCH_BITS = 12, HINT_OTHERS = 16 };

/* Of a stream. */
struct hints {
    uint32_t number;    /* the last one that it had: of a batch that nobody else has */
    uint32_t left;      /* numbers of the batch */
    uint32_t refused;   /* words that were found to be another's */
    bool given;         /* a word may have the number */
    uint32_t *running;  /* thread_now of its thread; NULL: it never had a number */
    bool early[1 << 7]; /* by kind and size, as TAPE_SITE has them: does the first access give the hint? */
    struct {
        uint8_t recorded, hinted; /* of the words that are looked at (host/stream.h), in this round */
    } habit[2];                   /* of reads, and of writes */
};

/* These of 8 bytes, whose words are hinted at: recorded after so many clearings. The thread has entered (host/stream.h),
 * before the filter was asked: a signal handler that comes between may release something. It leaves. */
HIDDEN void hint_give(struct thread *t, struct hints *h, uintptr_t address, unsigned bytes,
                      enum access_kind kind, uint64_t clears);

/* An access of a word that is looked at was recorded; such words have no early hints. Where most are accessed again, the
 * others have. */
HIDDEN void hint_habits(struct hints *h, enum access_kind kind);

/* Of a word that is another's, or was this thread's long ago, only one in a few is taken. */
hot_inline bool hint_refused(struct hints *h, uint32_t there)
{
    return there != 0 && (there ^ h->number) >> HINT_BATCH_BITS != 0 && ++h->refused % HINT_OTHERS != 0;
}

/* All bytes of the words that these, of 8, are in. */
hot_inline unsigned hint_words(unsigned bytes)
{
    enum { LOW = 0x0f, HIGH = 0xf0 };
    return ((bytes & LOW) != 0 ? LOW : 0) | ((bytes & HIGH) != 0 ? HIGH : 0);
}

/* These of 8 bytes are accessed again, and these are known to have been accessed: is that worth a hint? */
hot_inline bool hint_due(struct hints *h, uintptr_t address, unsigned bytes, unsigned known,
                         enum access_kind kind)
{
    uint32_t there = load_relaxed((const uint32_t *)shadow_of(address) + (kind == PLAIN_READ));
    return (hint_words(bytes) & ~known) == 0 && there != load_relaxed(&thread_now) && !hint_refused(h, there);
}

/* Before there are any. */
HIDDEN void hints_start(void);

/* The calling thread gets another number, which no word has, or NOT_NARROW. */
HIDDEN uint32_t hints_renew(struct hints *h);

/* It may have lost its number, or never had one. */
hot_inline void hints_begin(struct hints *h)
{
    if (unlikely(load_relaxed(&thread_now) == NOT_NARROW))
        hints_renew(h);
}

/* The epoch ends: of the calling thread, or of one that has not begun. */
hot_inline void hints_end(const struct thread *t, struct hints *h)
{
    if (t != thread_self)
        return;
    if (h->given)
        hints_renew(h);
    else
        hints_begin(h);
}

/* Under the host's lock, after a clearing of nothing: the epoch of any other. */
HIDDEN void hints_end_of_other(const struct hints *h);

/* Under the host's lock, after the clearing was counted. */
HIDDEN void hints_cleared(uintptr_t address, size_t size);
