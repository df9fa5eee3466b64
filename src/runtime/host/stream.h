/* The accesses of a thread that order nothing, on their way to its stream of the tape (trace/tape.h): without a lock.
 *
 * --dedupe: an access is left out if the thread has made one to the same bytes since it last released
 * anything, of the same kind or, before a read, a write. Whatever the second races with, the first does: who
 * is not ordered before the second is not ordered before the first, and who is ordered after the first is so
 * by a later release of the thread, and ordered after the second. What is known of that, the *filter*, is a
 * small table by address, for 8 bytes an entry: one bit for each byte that was read, and that was written. A
 * release ends what all entries say (`epoch`), and whoever clears memory ends what is said of that
 * (stream_cleared). Of what the filter does not know, one word in 256 is looked for in a table of its own,
 * the sample: if much of it was accessed before in the same epoch, a larger filter would have known it, and
 * the thread gets one. Which word that is says its place in the filter. Of the rows that a compiler gathers, only
 * other rows are known to be repetitions (host/rows.h); they are not in the filter.
 *
 * A small access goes one of three ways: stream_small writes what is expected (the place that came after the
 * last one the last time, too, a stride on: one byte of the tape), put_other any other step of a place that
 * the reader knows, and the first one after a synchronization, and stream_access all else, seldom.
 *
 * Only the thread itself touches its stream, but for `synced` and `released`, which are written under the
 * host's lock, perhaps by another thread (host_adopted). A signal handler does not come between:
 * runtime/signals.h.
 */
#pragma once

#include "runtime/access.h"
#include "runtime/host/blocks.h"
#include "runtime/host/hints.h"
#include "runtime/host/rows.h"
#include "runtime/loops.h"

enum {
    FILTER = 4096, /* entries at first */
    FILTER_GROWS = 16,
    FILTER_MOST = 1 << 20,
    SAMPLE_TABLE = 4096,
    SAMPLES = 512, /* so many tell whether it should grow */
    CLEARINGS = 64
};

/* An entry of the filter: address / 8 >> 12, 33 bits | epoch, 15 bits | bytes read, 8 | bytes written, 8. The
 * rest of the address is in the place that the entry has in the table. Before the 15 bits come round again,
 * the table is emptied. */
enum { ENTRY_EPOCH_SHIFT = 16, ENTRY_EPOCH_BITS = 15, ENTRY_WORD_SHIFT = 31, WORD_SHIFT = 12 };
_Static_assert(ENTRY_WORD_SHIFT + 48 - 3 - WORD_SHIFT == 64 && FILTER == 1 << WORD_SHIFT,
               "48 bits of address");

struct sample_entry {
    uint64_t word; /* address / 8 << 16 | bytes read << 8 | bytes written */
    uint64_t epoch;
};

/* An entry of the table in trace/tape.h, a line of the cache. The reader knows it in the block that `where` has;
 * in any other, only place, node and site mean something. */
struct stream_entry {
    uint64_t place; /* return address | kind and size << 48 */
    uint64_t where; /* node of the stack | block << 32 */
    uintptr_t last;
    uintptr_t before; /* address of the record before: last less this is the offset */
    int64_t stride;
    struct stream_entry *follower;
    uint32_t site;
} __attribute__((aligned(64)));

struct stream {
    /* What each access looks at: two lines of the cache. */
    struct thread *of;
    struct tape_pen pen;
    struct stream_entry *previous; /* of the last record in the block that has one; at first entry 0 */
    uint64_t block;                /* counts blocks of whatever thread; << 32 */
    uint64_t *filter;
    uint64_t filter_mask;    /* entries less 1 */
    uint64_t epoch_in_entry; /* as entries of the filter have it */
    uint64_t clears;         /* clearings that it has seen: what is recorded comes after them */
    uint64_t forgotten;      /* those of which the filter has nothing any more */
    uint64_t synced;         /* the thread's latest record of the spine */
    uint64_t seen;           /* the record of the latest clearing, or a later one that it has seen */
    uint64_t marked;         /* the mark that was written last */

    uint64_t epoch;             /* never the same again, whosever the stream is */
    uintptr_t range;            /* address of the last RANGE */
    uint64_t accessed;          /* the thread's latest access on the spine: locks come after it */
    uint32_t tape;              /* on which the entries' sites are */
    uint32_t taken;             /* the lock that was taken last, + 1; 0: none on this tape */
    uint64_t turns, turns_told; /* locks that were taken and given up here; how many the spine has said */
    bool released;              /* another thread has, in its name: the epoch ends before the filter is believed again */
    struct hints hints;
    struct stream *next_free;
    struct stream_entry entry[TAPE_ENTRIES];
    struct {
        uint32_t made, repeated;
        struct sample_entry entry[SAMPLE_TABLE];
    } sample; /* of the accesses that the filter does not know */
    struct {
        uintptr_t address;
        uint64_t size, epoch, clears;
    } recent[2][64]; /* ranges, likewise not to be told again */
    struct rows rows;
    struct {
        uintptr_t address;
        uint64_t size, epoch, clears;
        bool writes;
    } atomic[32]; /* and atomic accesses */
    struct {
        uintptr_t variable;
        uint64_t news;
    } learned[32]; /* what the thread had learned all of (host/news.h) */
    struct {
        uintptr_t pc;
        uint32_t node, site;
    } site[32];
};
_Static_assert(offsetof(struct stream, epoch) <= 2 * 64, "what each access looks at");

/* How often memory has been cleared. */
extern HIDDEN uint64_t stream_clears;

hot_inline uint64_t *filter_of(const struct stream *s, uint64_t word)
{
    return &s->filter[(word ^ word >> WORD_SHIFT) & s->filter_mask];
}

/* Is the word in this entry one of those that are looked at, to see what is worth while? The filter begins at the
 * beginning of a page. */
hot_inline bool filter_samples(const uint64_t *entry)
{
    enum { ONE_IN = 256 };
    return unlikely((uintptr_t)entry % (ONE_IN * sizeof *entry) == 0);
}

/* What the entry has but for the bytes: at most 16 bits differ if it is of this word and epoch. */
hot_inline uint64_t filter_key(const struct stream *s, uint64_t word)
{
    return word >> WORD_SHIFT << ENTRY_WORD_SHIFT | s->epoch_in_entry;
}

/* The entry as far as it is of this word and epoch: of another, it has no bytes. */
hot_inline uint64_t filter_now(const struct stream *s, uint64_t word, uint64_t entry)
{
    uint64_t key = filter_key(s, word);
    return (entry ^ key) <= 0xffff ? entry : key;
}

/* Which of the 8 bytes would be accessed again? Others are to be noted as made. */
hot_inline unsigned filter_known(uint64_t now, enum access_kind kind)
{
    return (kind == PLAIN_READ ? now | now >> 8 : now) & 0xff;
}

/* Of an access in one group of 8 bytes; 8 are all of it. */
hot_inline unsigned filter_bytes(uintptr_t address, size_t size)
{
    return size == 8 ? 0xff : ((1u << size) - 1) << address % 8;
}

/* As an entry has them. */
hot_inline uint64_t filter_bits(uintptr_t address, size_t size, enum access_kind kind)
{
    return filter_bytes(address, size) << (kind == PLAIN_READ ? 8 : 0);
}

/* From here on no signal handler comes between, and nothing that one changes is read before: where signals
 * come all the time, they do so in our code, too, unless `inside` says otherwise (runtime/signals.h). */
hot_inline void stream_enter(struct thread *t)
{
    t->inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Nor is anything written after. */
hot_inline void stream_leave(struct thread *t)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread_outside(t);
}

/* The same by who has seen that `inside` is 0: a store need not wait for the one before. */
hot_inline void stream_enter_first(struct thread *t)
{
    t->inside = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

hot_inline void stream_leave_last(struct thread *t)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->inside = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (unlikely(t->put_off.waits) && t->working == 0)
        signals_due(t);
}

/* A plain access in one group of 8 bytes, that is not ignored; `how`: kind and size, as TAPE_SITE has them.
 * The thread has entered first, and leaves. When it is recorded, the filter's entry for it becomes `noted`. */
HIDDEN void stream_small(struct stream *s, uintptr_t address, uint64_t how, uintptr_t pc, uint64_t *entry,
                         uint64_t noted);

/* Any access. */
HIDDEN void stream_access(struct thread *t, const struct race_access_live *a);

/* `count` of them, a stride apart: each has these fields; NULL: all of it is accessed at `a->pc`. */
HIDDEN void stream_row(struct thread *t, const struct race_access_live *a, ptrdiff_t stride, size_t count,
                       const struct fields *fields);

/* An atomic access that orders nothing, by a thread that is inside. False: it is to be made with the host's lock. */
HIDDEN bool stream_atomic(struct thread *t, const struct race_access_live *a);

/* Has the thread learned all that the variable had, when this was the count of its news? */
HIDDEN bool stream_has_learned(struct stream *s, uintptr_t variable, uint64_t news);
HIDDEN void stream_learned(struct stream *s, uintptr_t variable, uint64_t news);

/* The use of a mutex or the like, which counts only against plain writes that come before. */
HIDDEN void stream_compare(struct thread *t, uintptr_t address, uintptr_t pc);

/* --- locks (host/lock_turns.h); by the thread itself, which is inside --- */

/* Is there room for a record? It comes after all clearings that there have been. */
HIDDEN bool stream_is_ready(struct stream *s);

/* The number of the lock + 1; how often it was given up before, or 0: the thread was the last one who did. It is
 * after this record of the spine. */
HIDDEN void stream_take(struct stream *s, uint32_t lock, uint32_t site, uint64_t turn, uint64_t since);
HIDDEN void stream_give(struct stream *s, uint32_t lock);
/* An access that is no repetition. */
HIDDEN void stream_put(struct thread *t, struct stream *s, const struct race_access_live *a);

/* As stream_site_locked, without the host's lock. */
HIDDEN uint32_t stream_site(struct stream *s, uintptr_t pc, uint32_t node);

/* --- under the host's lock --- */

/* recorder_site_locked of an access that is not on the stream: those that the thread asks for again and
 * again. */
HIDDEN uint32_t stream_site_locked(struct stream *s, uintptr_t pc, uint32_t node);

/* Is it an atomic access, and a repetition, after so many clearings? It is noted as made. */
HIDDEN bool stream_repeats_atomic(struct stream *s, const struct race_access_live *a, uint64_t clears);

HIDDEN struct stream *stream_new(struct thread *t);
/* Its thread has ended, or is not there any more. */
HIDDEN void stream_end(struct stream *s);
/* A new tape begins, in the child of a fork. */
HIDDEN void stream_again(struct stream *s);

/* The thread has synchronized: by the latest record of the spine. */
HIDDEN void stream_synced(struct stream *s, bool releases);
/* The same, perhaps by another thread. */
HIDDEN void stream_synced_by_other(struct stream *s, bool releases);
/* Memory was cleared (moved, overwritten by a move): by the latest record of the spine. */
HIDDEN void stream_cleared(uintptr_t address, size_t size);
