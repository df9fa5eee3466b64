/* Two accesses of 8 bytes to one object, one after the other for certain, that the compiler checks by one call
 * (src/place/objects.cpp): the value of a list's element and its link, say.
 *
 * Hot path: what is the same for both is done once: whose the chunk is, whether the context was said,
 * announcing. It is for a chunk that is the thread's own and for words that both places have met before; else
 * `pair_new` takes each step by itself, and where that cannot do it the accesses go the ways of single ones.
 * Each has its entry of the history, and none is part of a run: where an object lies says nothing of where the
 * next one does.
 */
#include "runtime/access.h"
#include "runtime/peek.h"
#include "runtime/single_threaded.h"
#include "runtime/third_path.h"

/* What is told of both: their addresses, and instructions of the lines that access them. */
struct pair {
    uintptr_t address[2];
    const uintptr_t *place;
};

hot_inline uintptr_t pc_of(const struct pair *p, unsigned which)
{
    return p->place[which] + 1;
}

/* As any place of the code remembers the last word that it met (shadow/one_step.h). */
hot_inline uint64_t *after_of(struct actor *actor, const struct pair *p, unsigned which)
{
    return alone_after(actor, (uintptr_t)(p->place + which));
}

/* --- each by itself --- */

/* The thread is where nobody else changes the words. False: not here. */
static bool step_alone(struct thread *t, const struct pair *p, unsigned which, enum access_kind kind)
{
    uint64_t *word = shadow_of(p->address[which]), from = load_acquire(word);
    if (load_acquire(word + 1) != from)
        return false;
    if (write_half(from) == t->actor.now || (kind == PLAIN_READ && read_half(from) == t->actor.now))
        return true; /* in this epoch already */
    if ((kind == PLAIN_WRITE && !owner_wrote(owner_chunk(p->address[which]))) || !has_one_reader(from) ||
        !is_exclusive(&t->actor, from) || (from == 0 && freed_any(word, 2)))
        return false;
    if (from != 0)
        *after_of(&t->actor, p, which) = from;
    set_all(word, 2, exclusive_after(&t->actor, from, kind));
    struct access a = {.address = p->address[which], .pc = pc_of(p, which), .size = 8, .kind = (uint8_t)kind};
    history_put(t->history, history_access(&a), a.address);
    return true;
}

static void each_by_itself(const struct pair *p, enum access_kind first, enum access_kind second)
{
    access_words(p->address[0], 8, first, pc_of(p, 0));
    access_words(p->address[1], 8, second, pc_of(p, 1));
}

/* The words are new to one of the places, or one of them is not of a kind for the hot path. The chunk was
 * announced, and is the thread's. */
static __attribute__((noinline)) bool pair_new(uintptr_t a, uintptr_t b, const uintptr_t *place,
                                               enum access_kind first, enum access_kind second)
{
    struct thread *t = thread_self;
    struct pair p = {{a, b}, place};
    bool done = step_alone(t, &p, 0, first) && step_alone(t, &p, 1, second);
    owner_leave(&t->actor.owner);
    if (!done)
        each_by_itself(&p, first, second); /* what was done is known to have been */
    return false;
}

static __attribute__((noinline)) bool pair_slow(uintptr_t a, uintptr_t b, const uintptr_t *place,
                                                enum access_kind first, enum access_kind second)
{
    struct pair p = {{a, b}, place};
    each_by_itself(&p, first, second);
    return false;
}

/* --- both at once --- */

hot_inline bool pair_possible(const struct thread *t, uintptr_t a, uintptr_t b)
{
    return likely(((a | b) & 7) == 0) && likely((a ^ b) >> OWNER_CHUNK_BITS == 0) &&
           likely((t->inside | t->ignore[0] | t->ignore[1]) == 0) && likely(history_is_current(t));
}

hot_inline void pair_ahead(uintptr_t address, enum access_kind kind, uint64_t word)
{
    if (kind == PLAIN_READ)
        peek_ahead(address, word);
}

hot_inline bool pair(uintptr_t a, uintptr_t b, const uintptr_t *place, enum access_kind first,
                     enum access_kind second)
{
    struct thread *t = thread_self;
    if (likely(t != NULL) && single_threaded_access(t))
        return false;
    if (unlikely(t == NULL) || unlikely(!pair_possible(t, a, b)))
        return pair_slow(a, b, place, first, second);
    struct pair p = {{a, b}, place};
    uint64_t *word[2] = {shadow_of(a), shadow_of(b)};
    uint32_t chunk = owner_chunk(a);
    pair_ahead(a, first, load_relaxed(word[0])); /* not while others may wait for the thread */
    pair_ahead(b, second, load_relaxed(word[1]));
    if (unlikely(!owner_is_quick(&t->actor.owner, owner_announce(&t->actor.owner, chunk)))) {
        owner_leave(&t->actor.owner);
        return pair_slow(a, b, place, first, second);
    }
    uint64_t from[2] = {load_acquire(word[0]), load_acquire(word[1])};
    if (unlikely(from[0] != *after_of(&t->actor, &p, 0)) ||
        unlikely(from[1] != *after_of(&t->actor, &p, 1)) || unlikely(load_acquire(word[0] + 1) != from[0]) ||
        unlikely(load_acquire(word[1] + 1) != from[1]) ||
        ((first == PLAIN_WRITE || second == PLAIN_WRITE) && unlikely(!owner_wrote(chunk))))
        return pair_new(a, b, place, first, second);
    set_all(word[0], 2, exclusive_after(&t->actor, from[0], first));
    set_all(word[1], 2, exclusive_after(&t->actor, from[1], second));
    owner_leave(&t->actor.owner);
    struct access one = {.address = a, .pc = pc_of(&p, 0), .size = 8, .kind = (uint8_t)first};
    struct access other = {.address = b, .pc = pc_of(&p, 1), .size = 8, .kind = (uint8_t)second};
    history_put_two(t->history, &one, &other);
    return false;
}

/* Read or write of 8 bytes at a, and of 8 at b. place: of both. Return false. */
#define PAIR(name, first, second)                                                                            \
    __attribute__((visibility("default"))) bool name(uintptr_t a, uintptr_t b, const uintptr_t *place);      \
    __attribute__((visibility("default"))) bool name(uintptr_t a, uintptr_t b, const uintptr_t *place)       \
    {                                                                                                        \
        return pair(a, b, place, first, second);                                                             \
    }

PAIR(__pf_read_read8, PLAIN_READ, PLAIN_READ)
PAIR(__pf_read_write8, PLAIN_READ, PLAIN_WRITE)
PAIR(__pf_write_read8, PLAIN_WRITE, PLAIN_READ)
PAIR(__pf_write_write8, PLAIN_WRITE, PLAIN_WRITE)
