/* The compiler's entry points for reads and writes: __tsan_readN, __tsan_writeN and their relatives.
 *
 * Hot path: everything up to the tail call to a _slow function. Load the shadow, compare with the thread's
 * epoch, return: no store, no lock, no atomic instruction, no call. tools/check_hotpath counts instructions.
 * A stale word or epoch is harmless: a word can change from "mine in this epoch" to something else only by an
 * access of another thread that races with mine, and that access finds the race.
 */
#include <emmintrin.h>

#include "base/count.h"
#include "runtime/access.h"
#include "runtime/peek.h"
#include "runtime/pieces.h"
#include "runtime/stack.h"
#include "runtime/third_path.h"
#include "shadow/byte_step.h"

#define ENTRY     __attribute__((visibility("default")))
#define CALLER_PC ((uintptr_t)__builtin_return_address(0))

/* Whole words of one chunk, where the thread is announced. Returns how many are done. */
hot_inline size_t announced_words(struct thread *t, uintptr_t address, size_t size, enum access_kind kind,
                                  uint32_t owner, uint32_t *changed)
{
    uint64_t *word = shadow_of(address);
    uint32_t chunk = owner_chunk(address);
    struct owner_view *view = &t->actor.owner;
    struct notes *notes;
    if (likely(owner_is_quick(view, owner))) {
        if (kind == PLAIN_WRITE)
            owner_writes(chunk);
        return quick_own(word, size / 4, kind, &t->actor, changed);
    }
    if (load_relaxed(&view->quick_shared) != OWNER_SHARED)
        return 0;
    if (likely(owner == OWNER_SHARED))
        return quick_shared(word, size / 4, kind, &t->actor, changed);
    if (kind == PLAIN_READ && owner == OWNER_FROZEN && (notes = frozen_notes(&t->actor, chunk)) != NULL)
        return frozen_read(notes, address, size / 4, &t->actor, changed);
    return 0;
}

/* The whole words of an access that begins at a word and stays in one chunk. Returns how many are done. */
hot_inline size_t words(struct thread *t, uintptr_t address, size_t size, enum access_kind kind,
                        uint32_t *changed)
{
    uint32_t chunk = owner_chunk(address);
    if (unlikely(size > 4 && owner_chunk(address + size - 1) != chunk))
        return 0;
    uint32_t owner = owner_announce(&t->actor.owner, chunk);
    size_t done = announced_words(t, address, size, kind, owner, changed);
    owner_leave(&t->actor.owner);
    return done;
}

static __attribute__((noinline)) void loop_found(enum third third, uintptr_t address, uintptr_t pc,
                                                 uint32_t size, enum access_kind kind)
{
    struct thread *t = thread_self;
    struct open_run *open = place_of(t, pc);
    if (third == BEGINS_A_RUN)
        history_run_slow(
            t, &(struct access){.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind}, open);
    if (unlikely(t->actor.met != NULL))
        access_slow(address, size, kind, pc); /* tells of the free() */
    else
        piece_begin(t, pc, size, kind);
}

/* False: the access is still to be checked. */
hot_inline bool third_ends(enum third third, uintptr_t address, uintptr_t pc, uint32_t size,
                           enum access_kind kind)
{
    if (unlikely(third == BEGINS_A_RUN || third == GOES_ON))
        loop_found(third, address, pc, size, kind);
    return likely(third != NOT_HERE);
}

/* --- fourth path: any first access of an epoch to whole words, that step of the rules still made here ---
 *
 * Everything else goes to access_slow, which finds words that were done here already in the same-epoch
 * state. */

/* Words that were done here are remembered here: access_slow finds nothing new in them. `unit`: of which size
 * the program's accesses are. */
hot_inline void own_or_slow(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc,
                            unsigned unit)
{
    struct thread *t = thread_self;
    if (unlikely(t == NULL || t->inside != 0) || thread_ignores(t, kind)) {
        access_slow(address, size, kind, pc);
        return;
    }
    uint32_t changed = 0;
    bool loops = t->top->node != 0; /* or it is the first access since the call of this function */
    size_t done = words(t, address, size, kind, &changed);
    if (likely(changed > 0) &&
        history_add(
            t,
            &(struct access){.address = address, .pc = pc, .size = (uint32_t)size, .kind = (uint8_t)kind}) &&
        loops)
        piece_begin(t, pc, unit, kind);
    if (unlikely(done < size / 4) || unlikely(t->actor.met != NULL))
        access_slow(address, size, kind, pc);
}

/* Were all bytes accessed there? */
hot_inline bool one_place(const struct pending_sites *at, uintptr_t pc, uint32_t node)
{
    return ((at->pc[0] ^ pc) | (at->pc[1] ^ pc) | (at->pc[2] ^ pc) | (at->pc[3] ^ pc)) == 0 &&
           ((at->node[0] ^ node) | (at->node[1] ^ node) | (at->node[2] ^ node) | (at->node[3] ^ node)) == 0;
}

/* A whole word that was gathered at several places: each has its run of the history. */
static void several_places(struct thread *t, const struct pending_sites *at, uintptr_t base,
                           enum access_kind kind, unsigned size)
{
    unsigned loops = 0; /* the first bytes of accesses that go on a run */
    for (unsigned from = 0, to; from < 4; from = to) {
        to = from + 1;
        while (to < 4 && at->pc[to] == at->pc[from] && at->node[to] == at->node[from])
            to++;
        struct access a = {
            .address = base + from, .pc = at->pc[from], .size = to - from, .kind = (uint8_t)kind};
        if (at->node[from] & GATHER_REMEMBERED)
            continue;
        if (unlikely(at->node[from] != t->top->node))
            history_add_at(t, &a, at->node[from]);
        else if (history_add(t, &a) && a.size == size)
            loops |= 1u << from;
    }
    for (; loops != 0; loops &= loops - 1) {
        uintptr_t pc = at->pc[__builtin_ctz(loops)];
        if (t->open[history_place(pc)].next - base >= 4) /* else there is a later one in this word */
            piece_begin(t, pc, size, kind);
    }
}

/* Checks it if nobody has taken it. False: not in this way. While somebody takes the chunk the word stays
 * where that one looks for it. */
hot_inline bool check_whole(struct thread *t, unsigned place, enum access_kind kind, uint32_t *changed)
{
    struct owner_view *view = &t->actor.owner;
    uint64_t pending = t->pending[place];
    uintptr_t base = pending_base(pending);
    uint32_t owner = owner_announce(view, owner_chunk(base));
    bool done = false;
    if (likely(owner_is_quick(view, owner))) {
        if (likely(!pending_taken(load_relaxed(&t->pending[place]))) &&
            likely(announced_words(t, base, 4, kind, owner, changed) != 0)) {
            store_relaxed(&t->pending[place], 0);
            done = true;
        }
    } else if (owner_is_all(owner) && gather_take_back(t, place, kind, pending)) {
        done = announced_words(t, base, 4, kind, owner, changed) != 0;
        gather_taken_back(t, place, kind, done ? 0 : pending);
    }
    owner_leave(view);
    return done;
}

/* All four bytes of the word are gathered. */
static __attribute__((noinline)) void whole_word(unsigned place, unsigned size, enum access_kind kind,
                                                 uintptr_t pc, uint32_t node)
{
    struct thread *t = thread_self;
    const struct pending_sites *at = &t->sites[place];
    uintptr_t base = pending_base(t->pending[place]);
    uint32_t changed = 0;
    if (unlikely(!check_whole(t, place, kind, &changed))) {
        gather_flush_word(t, place);
        return;
    }
    count(WORDS);
    if (unlikely(t->actor.met != NULL))
        access_slow(base, 4, kind, pc); /* tells of the free() */
    else if (unlikely(changed == 0))
        return;
    else if (unlikely(!one_place(at, pc, node)))
        several_places(t, at, base, kind, size);
    else if (!(node & GATHER_REMEMBERED) &&
             history_add(t, &(struct access){.address = base, .pc = pc, .size = 4, .kind = (uint8_t)kind}))
        piece_begin(t, pc, size, kind);
}

/* Some bytes of a word: gathered (runtime/gather.h). `remembered`: GATHER_REMEMBERED, or 0. */
hot_inline bool gather(struct thread *t, uintptr_t address, unsigned size, enum access_kind kind,
                       uintptr_t pc, uint32_t remembered)
{
    unsigned place = gather_place(address, kind);
    uint32_t node = t->top->node | remembered;
    uint64_t after;
    if (unlikely((t->inside | t->ignore[kind_writes(kind)] | t->unlisted) != 0) ||
        unlikely(node == remembered))
        return false;
    if (t->pending[place] == 0)
        return count_if(IN_WORDS, remembered == 0, gather_begin(t, place, address, size, kind, pc, node));
    if (unlikely(
            !count_if(IN_WORDS, remembered == 0, gather_more(t, place, address, size, pc, node, &after))))
        return false;
    if ((after & 0xf) == 0xf)
        whole_word(place, size, kind, pc, node);
    return true;
}

/* ... where something was in the way. */
static bool gather_slow(struct thread *t, uintptr_t address, unsigned size, enum access_kind kind,
                        uintptr_t pc, uint32_t remembered)
{
    enum { TRIES = 3 };
    stack_node(t);
    for (unsigned tries = 0; tries < TRIES; tries++) {
        if (gather(t, address, size, kind, pc, remembered))
            return true;
        gather_prepare(t, address, kind);
    }
    return false;
}

/* --- accesses that begin or end inside a word ---
 *
 * Text is often read 8 bytes at a time from wherever something was found in it: most of them again and again.
 * Parts of words are gathered as single bytes are; the access is in the history when the first of it is not
 * new. */

/* The bytes are new: neither checked in this epoch, nor gathered. */
hot_inline bool is_new(const struct thread *t, uintptr_t address, unsigned size, enum access_kind kind)
{
    unsigned from = address & 3;
    return size > 0 && !gather_has_all(t, address, size, kind) &&
           !same_epoch_in_word(shadow_of(address), from, from + size, kind, t->actor.now);
}

/* False: not in this way, or not all of it. */
static bool in_parts(struct thread *t, uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    uintptr_t end = address + size, first = (address + 3) & ~(uintptr_t)3, last = end & ~(uintptr_t)3;
    bool head = is_new(t, address, (unsigned)(first - address), kind);
    bool tail = is_new(t, last, (unsigned)(end - last), kind);
    uint32_t changed = 0;
    size_t done = first < last ? words(t, first, last - first, kind, &changed) : 0;
    bool all = first == last || (done == (last - first) / 4 && likely(t->actor.met == NULL));
    if (changed > 0 ||
        (all && (head || tail))) /* words that were done: access_slow finds nothing new in them */
        history_add(t, &(struct access){.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind});
    if (unlikely(!all))
        return false;
    return (!head || gather_slow(t, address, (unsigned)(first - address), kind, pc, GATHER_REMEMBERED)) &&
           (!tail || gather_slow(t, last, (unsigned)(end - last), kind, pc, GATHER_REMEMBERED));
}

/* If not: the slow path. */
static bool may_gather(const struct thread *t, enum access_kind kind)
{
    return likely(t != NULL && t->inside == 0) && !thread_ignores(t, kind) && likely(accesses_may_wait);
}

static void not_aligned(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    if (!may_gather(t, kind) ||
        unlikely(load_relaxed(&t->attend) != 0) /* a new epoch may be waiting for it */ ||
        !in_parts(t, address, size, kind, pc))
        access_slow(address, size, kind, pc);
}

/* In one word, or in parts. */
static void some_bytes(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    if (!may_gather(t, kind))
        access_slow(address, size, kind, pc);
    else if (unlikely((address & 3) + size > 4))
        not_aligned(address, size, kind, pc);
    else if (!gather_slow(t, address, size, kind, pc, 0))
        access_slow(address, size, kind, pc);
}

hot_inline bool waits(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    return likely(t != NULL) && piece_extended(t, place_of(t, pc), address, size, kind, pc);
}

/* After that. */
hot_inline bool waits_in_next(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    return likely(t != NULL) && unlikely(t->open[history_place(pc)].from != 0) && t->inside == 0 &&
           piece_next(t, address, size, kind, pc);
}

/* The entry point cannot tell whether they were accessed in this epoch: not aligned, or in a record. */
hot_inline bool is_special(uintptr_t address, unsigned size)
{
    return unlikely(address & (size - 1)) || unlikely(word_expanded(load_relaxed(shadow_of(address))));
}

/* By a glance (shadow/byte_glance.h), or in this epoch already. */
hot_inline bool special_done(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    return (kind == PLAIN_READ && access_among_others(thread_self, address, size, 0, pc)) ||
           count_if(SAME_EPOCH, true, same_epoch(address, size, kind, thread_now));
}

/* --- in a chunk that has a page of cells (shadow/byte_page.h) --- */

/* ... and is the thread's own. */
hot_inline bool has_page(const struct thread *t, uintptr_t address)
{
    uint32_t chunk = owner_chunk(address);
    return unlikely(byte_page_of(chunk) != NULL) && likely(t != NULL) &&
           owner_is_own(&t->actor.owner, load_relaxed(&owner_table[chunk]));
}

/* False: not in this way, or not all of it. */
hot_inline bool in_page(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    uint32_t changed = 0;
    if (unlikely(t == NULL || t->inside != 0) || thread_ignores(t, kind))
        return false;
    bool loops = t->top->node != 0, done = byte_page_step(&t->actor, address, size, kind, &changed);
    if (changed > 0 &&
        history_add(t, &(struct access){.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind}) &&
        loops)
        piece_begin(t, pc, size, kind);
    return done && likely(t->actor.shall_share == 0); /* the slow path sees to that */
}

/* The first access of an epoch to something there, or not. */
hot_inline bool paged_done(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    return count_if(SAME_EPOCH, true, same_epoch(address, size, kind, thread_now)) ||
           (likely(thread_self->open[history_place(pc)].from == 0) && in_page(address, size, kind, pc));
}

/* The chunk is frozen, and the thread has notes of its bytes (shadow/frozen.h). */
hot_inline bool noted(struct thread *t, uintptr_t address, unsigned size, uintptr_t pc)
{
    return unlikely(load_relaxed(&owner_table[owner_chunk(address)]) == OWNER_FROZEN) && likely(t != NULL) &&
           (count_if(SAME_EPOCH, true, frozen_bytes_noted(&t->actor, address, size)) ||
            access_among_others(t, address, size, 0, pc));
}

#define GATHER(name, size, kind)                                                                             \
    static __attribute__((noinline)) void name##_fourth(uintptr_t address, uintptr_t pc)                     \
    {                                                                                                        \
        if (is_special(address, size) && special_done(address, size, kind, pc))                              \
            return;                                                                                          \
        if (!waits_in_next(address, size, kind, pc))                                                         \
            some_bytes(address, size, kind, pc);                                                             \
    }                                                                                                        \
    static __attribute__((noinline)) void name##_paged(uintptr_t address, uintptr_t pc)                      \
    {                                                                                                        \
        if (!paged_done(address, size, kind, pc))                                                            \
            name##_fourth(address, pc);                                                                      \
    }                                                                                                        \
    static __attribute__((noinline)) void name(uintptr_t address, uintptr_t pc)                              \
    {                                                                                                        \
        struct thread *t = thread_self;                                                                      \
        if (likely(t != NULL)) {                                                                             \
            struct open_run *open = place_of(t, pc);                                                         \
            if (piece_extended(t, open, address, size, kind, pc))                                            \
                return;                                                                                      \
            if (has_page(t, address)) {                                                                      \
                name##_paged(address, pc);                                                                   \
                return;                                                                                      \
            }                                                                                                \
            if ((kind == PLAIN_READ && address % size == 0 && read_among_others(&t->actor, address, 1)) ||   \
                (kind == PLAIN_READ && noted(t, address, size, pc)) ||                                       \
                (likely(open->from == 0) && likely(!is_special(address, size)) &&                            \
                 gather(t, address, size, kind, pc, 0)))                                                     \
                return;                                                                                      \
        }                                                                                                    \
        name##_fourth(address, pc);                                                                          \
    }

GATHER(read1_slow, 1, PLAIN_READ)
GATHER(read2_slow, 2, PLAIN_READ)
GATHER(write1_slow, 1, PLAIN_WRITE)
GATHER(write2_slow, 2, PLAIN_WRITE)

#define OWN(name, size, kind)                                                                                \
    static __attribute__((noinline)) void name##_fourth(uintptr_t address, uintptr_t pc)                     \
    {                                                                                                        \
        if ((address & 3) != 0 && kind == PLAIN_READ && noted(thread_self, address, size, pc))               \
            return;                                                                                          \
        if ((address & 3) != 0 && same_epoch(address, size, kind, thread_now)) {                             \
            count(SAME_EPOCH);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        if (waits_in_next(address, size, kind, pc))                                                          \
            return;                                                                                          \
        if ((address & 3) != 0 && has_page(thread_self, address) && in_page(address, size, kind, pc))        \
            return;                                                                                          \
        if (likely((address & 3) == 0))                                                                      \
            own_or_slow(address, size, kind, pc, size);                                                      \
        else                                                                                                 \
            not_aligned(address, size, kind, pc);                                                            \
    }                                                                                                        \
    static __attribute__((noinline)) void name##_readers(uintptr_t address, uintptr_t pc)                    \
    {                                                                                                        \
        struct thread *t = thread_self;                                                                      \
        if (likely(readers_all_known(shadow_of(address), size / 4, t->actor.now))) {                         \
            count(SAME_EPOCH);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        third_prepare(t, kind);                                                                              \
        enum third third = third_path(t, place_of(t, pc), address, size, kind, pc, true);                    \
        if (!third_ends(third, address, pc, size, kind))                                                     \
            name##_fourth(address, pc);                                                                      \
    }                                                                                                        \
    /* A read in a frozen chunk, the first of the epoch. */                                                  \
    static __attribute__((noinline)) void name##_frozen(uintptr_t address, uintptr_t pc)                     \
    {                                                                                                        \
        struct thread *t = thread_self;                                                                      \
        third_prepare(t, kind);                                                                              \
        enum third third = frozen_path(t, place_of(t, pc), address, size, pc);                               \
        if (!third_ends(third, address, pc, size, kind))                                                     \
            name##_fourth(address, pc);                                                                      \
    }                                                                                                        \
    /* The chunk is not the thread's own, or the words are in no simple state. */                            \
    static __attribute__((noinline)) void name##_others(uintptr_t address, uintptr_t pc)                     \
    {                                                                                                        \
        struct thread *t = thread_self;                                                                      \
        if (kind == PLAIN_READ && read_among_others(&t->actor, address, size / 4))                           \
            return;                                                                                          \
        if (kind == PLAIN_READ && maybe_readers(address)) {                                                  \
            name##_readers(address, pc);                                                                     \
            return;                                                                                          \
        }                                                                                                    \
        third_prepare(t, kind);                                                                              \
        enum third third = third_path(t, place_of(t, pc), address, size, kind, pc, false);                   \
        if (!third_ends(third, address, pc, size, kind))                                                     \
            name##_fourth(address, pc);                                                                      \
    }                                                                                                        \
    static __attribute__((noinline)) void name##_paged(uintptr_t address, uintptr_t pc)                      \
    {                                                                                                        \
        if (!paged_done(address, size, kind, pc))                                                            \
            name##_others(address, pc);                                                                      \
    }                                                                                                        \
    static __attribute__((noinline)) void name(uintptr_t address, uintptr_t pc)                              \
    {                                                                                                        \
        struct thread *t = thread_self;                                                                      \
        __builtin_prefetch((const void *)address, kind == PLAIN_WRITE);                                      \
        if (unlikely(t == NULL) || unlikely((address & 3) != 0)) {                                           \
            name##_fourth(address, pc);                                                                      \
            return;                                                                                          \
        }                                                                                                    \
        struct open_run *open = place_of(t, pc);                                                             \
        uint32_t owner = load_relaxed(&owner_table[owner_chunk(address)]);                                   \
        if (piece_extended(t, open, address, size, kind, pc))                                                \
            return;                                                                                          \
        if (kind == PLAIN_READ && owner == OWNER_FROZEN) {                                                   \
            if (!frozen_noted(&t->actor, address, size / 4))                                                 \
                name##_frozen(address, pc);                                                                  \
            return;                                                                                          \
        }                                                                                                    \
        if (kind == PLAIN_READ && size == 8)                                                                 \
            peek_ahead(address);                                                                             \
        if (owner_is_nobodys(owner)) {                                                                       \
            name##_others(address, pc);                                                                      \
            return;                                                                                          \
        }                                                                                                    \
        enum third third = own_path(t, open, address, size, kind, pc);                                       \
        if (third_ends(third, address, pc, size, kind))                                                      \
            return;                                                                                          \
        if (has_page(t, address))                                                                            \
            name##_paged(address, pc);                                                                       \
        else                                                                                                 \
            name##_others(address, pc);                                                                      \
    }

OWN(read4_slow, 4, PLAIN_READ)
OWN(write4_slow, 4, PLAIN_WRITE)
OWN(read8_slow, 8, PLAIN_READ)
OWN(write8_slow, 8, PLAIN_WRITE)
OWN(read16_slow, 16, PLAIN_READ)
OWN(write16_slow, 16, PLAIN_WRITE)

/* --- up to 4 bytes inside one word --- */

hot_inline bool read_in_word(uintptr_t address)
{
    const uint32_t *half = (const uint32_t *)shadow_of(address);
    uint32_t now = thread_now;
    return likely(load_relaxed(&half[1]) == now) || load_relaxed(&half[0]) == now;
}

hot_inline bool written_in_word(uintptr_t address)
{
    const uint32_t *half = (const uint32_t *)shadow_of(address);
    return likely(load_relaxed(&half[0]) == thread_now);
}

#define SMALL(name, size, same_epoch, slow)                                                                  \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        count(ACCESSES);                                                                                     \
        if (likely((address & (size - 1)) == 0) && likely(same_epoch(address))) {                            \
            count(SAME_EPOCH);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        slow(address, CALLER_PC);                                                                            \
    }

SMALL(__tsan_read1, 1, read_in_word, read1_slow)
SMALL(__tsan_read2, 2, read_in_word, read2_slow)
SMALL(__tsan_read4, 4, read_in_word, read4_slow)
SMALL(__tsan_write1, 1, written_in_word, write1_slow)
SMALL(__tsan_write2, 2, written_in_word, write2_slow)
SMALL(__tsan_write4, 4, written_in_word, write4_slow)
SMALL(__tsan_unaligned_read2, 2, read_in_word, read2_slow)
SMALL(__tsan_unaligned_read4, 4, read_in_word, read4_slow)
SMALL(__tsan_unaligned_write2, 2, written_in_word, write2_slow)
SMALL(__tsan_unaligned_write4, 4, written_in_word, write4_slow)

/* --- 8 and 16 bytes: whole words, compared with SIMD --- */

/* All ones in each half of two words that is equal to the thread's epoch. */
hot_inline __m128i mine(uintptr_t address)
{
    __m128i words = _mm_loadu_si128((const __m128i *)shadow_of(address));
    return _mm_cmpeq_epi32(words, _mm_set1_epi32((int)thread_now));
}

enum { ALL_READS = 0xf0f0, ALL_WRITES = 0x0f0f };

hot_inline bool all_read(__m128i halves)
{
    unsigned m = (unsigned)_mm_movemask_epi8(halves);
    return likely((m & ALL_READS) == ALL_READS) || (m & ALL_WRITES) == ALL_WRITES;
}

hot_inline bool all_written(__m128i halves)
{
    return likely(((unsigned)_mm_movemask_epi8(halves) & ALL_WRITES) == ALL_WRITES);
}

#define WORDS(name, halves, all_mine, slow)                                                                  \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        count(ACCESSES);                                                                                     \
        if (likely((address & 3) == 0) && likely(all_mine(halves))) {                                        \
            count(SAME_EPOCH);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        slow(address, CALLER_PC);                                                                            \
    }

#define TWO  mine(address)
#define FOUR _mm_and_si128(mine(address), mine(address + 8))

WORDS(__tsan_read8, TWO, all_read, read8_slow)
WORDS(__tsan_write8, TWO, all_written, write8_slow)
WORDS(__tsan_unaligned_read8, TWO, all_read, read8_slow)
WORDS(__tsan_unaligned_write8, TWO, all_written, write8_slow)

/* 16 bytes are mostly a loop that the compiler has vectorized, over more memory than the caches hold: the
 * next step of it does not look at the shadow at all. */
#define VECTORS(name, kind, all_mine, slow)                                                                  \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        count(ACCESSES);                                                                                     \
        if (waits(address, 16, kind, CALLER_PC))                                                             \
            return;                                                                                          \
        if (likely((address & 3) == 0) && likely(all_mine(FOUR))) {                                          \
            count(SAME_EPOCH);                                                                               \
            return;                                                                                          \
        }                                                                                                    \
        slow(address, CALLER_PC);                                                                            \
    }

VECTORS(__tsan_read16, PLAIN_READ, all_read, read16_slow)
VECTORS(__tsan_write16, PLAIN_WRITE, all_written, write16_slow)
VECTORS(__tsan_unaligned_read16, PLAIN_READ, all_read, read16_slow)
VECTORS(__tsan_unaligned_write16, PLAIN_WRITE, all_written, write16_slow)

/* --- what a test in the program's own code has left (src/place/emit.cpp) --- */

#define LEFT(name, slow)                                                                                     \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        slow(address, CALLER_PC);                                                                            \
    }

LEFT(__pf_read1, read1_slow)
LEFT(__pf_read2, read2_slow)
LEFT(__pf_read4, read4_slow)
LEFT(__pf_read8, read8_slow)
LEFT(__pf_read16, read16_slow)
LEFT(__pf_write1, write1_slow)
LEFT(__pf_write2, write2_slow)
LEFT(__pf_write4, write4_slow)
LEFT(__pf_write8, write8_slow)
LEFT(__pf_write16, write16_slow)

/* --- any size ---
 *
 * gcc: accesses that need not be aligned, and structs. */

void access_few(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    enum { MOST = 128 };
    if (unlikely(size > MOST))
        access_slow(address, size, kind, pc);
    else if (size > 0 && !(kind == PLAIN_READ && noted(thread_self, address, (unsigned)size, pc)) &&
             !same_epoch(address, size, kind, thread_now))
        some_bytes(address, (unsigned)size, kind, pc);
    else
        count(SAME_EPOCH);
}

#define RANGE(name, kind, in_word, all_mine, slow2, slow4, slow8, slow16)                                    \
    ENTRY void name(uintptr_t address, size_t size);                                                         \
    ENTRY void name(uintptr_t address, size_t size)                                                          \
    {                                                                                                        \
        count(ACCESSES);                                                                                     \
        if (size == 8 && (likely((address & 3) != 0) || !all_mine(TWO)))                                     \
            slow8(address, CALLER_PC);                                                                       \
        else if (size == 4 && (likely((address & 3) != 0) || !in_word(address)))                             \
            slow4(address, CALLER_PC);                                                                       \
        else if (size == 2 && (likely((address & 1) != 0) || !in_word(address)))                             \
            slow2(address, CALLER_PC);                                                                       \
        else if (size == 16)                                                                                 \
            slow16(address, CALLER_PC);                                                                      \
        else if (size != 8 && size != 4 && size != 2)                                                        \
            access_few(address, size, kind, CALLER_PC);                                                      \
        else                                                                                                 \
            count(SAME_EPOCH);                                                                               \
    }

RANGE(__tsan_read_range, PLAIN_READ, read_in_word, all_read, read2_slow, read4_slow, read8_slow, read16_slow)
RANGE(__tsan_write_range, PLAIN_WRITE, written_in_word, all_written, write2_slow, write4_slow, write8_slow,
      write16_slow)

/* --- C++: the pointer to virtual functions --- */

ENTRY void __tsan_vptr_read(uintptr_t address);
ENTRY void __tsan_vptr_read(uintptr_t address)
{
    count(ACCESSES);
    if (unlikely((address & 3) != 0) || unlikely(!all_read(TWO)))
        read8_slow(address, CALLER_PC);
    else
        count(SAME_EPOCH);
}

ENTRY void __tsan_vptr_update(uintptr_t address, const void *value);
ENTRY void __tsan_vptr_update(uintptr_t address, const void *value)
{
    count(ACCESSES);
    if (access_of_vptr(address, value) == PLAIN_READ) {
        if (unlikely((address & 3) != 0) || unlikely(!all_read(TWO)))
            read8_slow(address, CALLER_PC);
    } else if (unlikely((address & 3) != 0) || unlikely(!all_written(TWO))) {
        write8_slow(address, CALLER_PC);
    }
}
