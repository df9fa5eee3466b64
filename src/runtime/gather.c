#include "runtime/gather.h"

#include "base/count.h"
#include "runtime/access.h"
#include "runtime/pieces.h"
#include "runtime/stack.h"
#include "runtime/world.h"

enum { CHUNK = 1 << OWNER_CHUNK_BITS };

bool waited_marks[WAITED_MARKS];

/* Bytes next to each other that were accessed at the same place are one access; but not parts of larger ones,
 * which may be of several: each is told by its own. The next one of the word from `from` on; returns where it
 * ends, or 0: there is none. */
static unsigned next_access(uint64_t pending, const struct pending_sites *at, enum access_kind kind,
                            unsigned from, struct race_access_live *a)
{
    unsigned mask = pending_mask(pending);
    if (mask >> from == 0)
        return 0;
    from += (unsigned)__builtin_ctz(mask >> from);
    unsigned to = from + 1;
    while (!(at->node[from] & GATHER_REMEMBERED) && mask >> to & 1 && at->pc[to] == at->pc[from] &&
           at->node[to] == at->node[from])
        to++;
    *a = (struct race_access_live){.address = pending_base(pending) + from,
                                   .pc = at->pc[from],
                                   .size = to - from,
                                   .kind = kind,
                                   .node_known = true,
                                   .node = at->node[from] & ~GATHER_REMEMBERED};
    return to;
}

static enum access_kind kind_at(unsigned place)
{
    return (enum access_kind)(place < CHECKING ? place / PENDING_WORDS : place - CHECKING);
}

typedef void shadow_check(uintptr_t address, size_t size, enum access_kind kind, struct actor *actor,
                          struct race_found *found);

/* The accesses of a word, to be told of when nothing is held any more. */
struct checked {
    unsigned count;
    uint32_t now;       /* in this epoch */
    bool remembered[4]; /* as part of a larger access */
    struct race_access_live access[4];
    struct race_found found[4];
};

static bool is_remembered(const struct pending_sites *at, const struct race_access_live *a)
{
    return at->node[a->address & 3] & GATHER_REMEMBERED;
}

static void check_word(uint64_t pending, const struct pending_sites *at, enum access_kind kind,
                       struct actor *actor, shadow_check *check, struct checked *checked)
{
    struct race_access_live *a = checked->access;
    checked->count = 0;
    checked->now = actor->now;
    for (unsigned from = 0; (from = next_access(pending, at, kind, from, a)) != 0; a++) {
        checked->remembered[checked->count] = is_remembered(at, a);
        check(a->address, a->size, kind, actor, &checked->found[checked->count++]);
    }
}

static void tell(struct thread *t, const struct checked *checked)
{
    for (unsigned i = 0; i < checked->count; i++) {
        const struct race_found *found = &checked->found[i];
        struct race_access_live a = checked->access[i];
        struct access_site site;
        if (unlikely(found->conflict.earlier != 0) && checked->remembered[i] &&
            history_find(t, checked->now, found->address, a.kind, &site) && !site.is_free) {
            a.address = site.address; /* the access, or a later one of the epoch that was like it */
            a.size = site.size;
            a.pc = site.pc;
            a.node = site.node;
        }
        access_tell(t, &a, found);
    }
}

/* --- by the thread itself --- */

static void remember(struct thread *t, uint64_t pending, const struct pending_sites *at,
                     enum access_kind kind)
{
    struct race_access_live a;
    for (unsigned from = 0; (from = next_access(pending, at, kind, from, &a)) != 0;) {
        struct access access = {.address = a.address, .pc = a.pc, .size = (uint32_t)a.size, .kind = kind};
        if (is_remembered(at, &a))
            continue;
        if (a.node == stack_node(t))
            history_add(t, &access);
        else
            history_add_at(t, &access, a.node);
    }
}

/* Nobody can take it now. While it is being checked it is pending at another place: somebody may ask for a
 * flush again. */
static void check_own(struct thread *t, unsigned place, shadow_check *check, struct checked *checked)
{
    enum access_kind kind = kind_at(place);
    unsigned checking = CHECKING + kind;
    uint64_t pending = t->pending[place];
    t->sites[checking] = t->sites[place];
    store_release(&t->pending[checking], pending);
    store_release(&t->pending[place], 0);
    remember(t, pending, &t->sites[checking], kind);
    if (likely(!pending_taken(pending)))
        check_word(pending, &t->sites[checking], kind, &t->actor, check, checked);
    store_release(&t->pending[checking], 0);
}

/* The thread is inside: no signal handler adds to it. */
static void flush_word(struct thread *t, unsigned place)
{
    struct owner_view *view = &t->actor.owner;
    struct checked checked;
    checked.count = 0;
    uint32_t chunk = owner_chunk(pending_base(t->pending[place]));
    if (t->pending[place] == 0)
        return;
    count(WORDS);
    if (kind_at(place) == PLAIN_READ ? owner_begin_reading(view, chunk) == OWNER_IS_SELF
                                     : owner_begin(view, chunk)) {
        check_own(t, place, shadow_access_alone, &checked);
        owner_leave(view);
    } else {
        spin_lock(&t->gathering);
        check_own(t, place, shadow_access, &checked);
        spin_unlock(&t->gathering);
    }
    tell(t, &checked);
}

void gather_flush_word(struct thread *t, unsigned place)
{
    t->inside++;
    world_enter(t);
    flush_word(t, place);
    access_end_check(t);
}

void gather_flush(struct thread *t)
{
    t->inside++;
    world_enter(t);
    for (unsigned place = 0; place < CHECKING; place++)
        flush_word(t, place);
    access_end_check(t);
}

void gather_prepare(struct thread *t, uintptr_t address, enum access_kind kind)
{
    struct owner_view *view = &t->actor.owner;
    uint32_t chunk = owner_chunk(address);
    t->inside++;
    pieces_may_wait(t);
    world_enter(t);
    flush_word(t, gather_place(address, kind));
    if (kind == PLAIN_READ)
        owner_end(view, owner_begin_reading(view, chunk) == OWNER_IS_SELF);
    else
        owner_end(view, owner_begin(view, chunk));
    access_end_check(t);
}

/* --- in the place of another thread --- */

/* What is pending was accessed in the epoch and with the clock that its thread still has: it does not go on
 * from there until it is checked. */
static void check_for(struct thread *other, unsigned place, struct actor *actor, shadow_check *check,
                      struct checked *checked)
{
    uint32_t own_now = actor->now;
    const uint32_t *own_clock = actor->clock;
    actor->now = other->actor.now;
    actor->clock = other->clock;
    actor->stands_in = true;
    actor_forget(actor);
    check_word(other->pending[place], &other->sites[place], kind_at(place), actor, check, checked);
    actor->stands_in = false;
    actor->now = own_now;
    actor->clock = own_clock;
    actor_forget(actor);
}

/* A word that is not marked any more was so while the thread was adding to it, which has undone that; and
 * then it has taken the word back. What is there now has come later. */
static void check_marked(struct thread *other, uint32_t marked, struct actor *actor, shadow_check *check)
{
    for (; marked != 0; marked &= marked - 1) {
        unsigned place = (unsigned)__builtin_ctz(marked);
        struct checked checked;
        if (!pending_taken(load_acquire(&other->pending[place])))
            continue;
        check_for(other, place, actor, check, &checked);
        tell(other, &checked);
    }
}

/* Chunks, and so these addresses, may be known by their lower bits only. */
static bool is_in(uint64_t pending, uintptr_t address, size_t size)
{
    uintptr_t window = (UINT64_C(1) << SHADOW_WINDOW_BITS) - 1;
    return pending != 0 && ((pending_base(pending) - address) & window) < size;
}

static bool has_no_owner(uintptr_t address)
{
    return owner_is_all(load_acquire(&owner_table[owner_chunk(address)]));
}

/* Those that nobody had taken yet. One bit for each place. `unowned`: not in chunks that have an owner, who
 * does not ask before it checks there. */
static uint32_t mark(struct thread *t, uintptr_t address, size_t size, bool unowned)
{
    uint32_t marked = 0;
    for (unsigned place = 0; place < CHECKING; place++) {
        uint64_t seen = load_acquire(&t->pending[place]);
        while (is_in(seen, address, size) && !pending_taken(seen) &&
               (!unowned || has_no_owner(pending_base(seen))))
            if (cas_acq_rel(&t->pending[place], &seen, seen | PENDING_TAKEN)) {
                marked |= 1u << place;
                break;
            }
    }
    return marked;
}

static bool has_from(const struct thread *t, unsigned place, uintptr_t address, size_t size)
{
    for (; place < PENDING_PLACES; place++)
        if (is_in(load_acquire(&t->pending[place]), address, size))
            return true;
    return false;
}

bool gather_has(const struct thread *t, uintptr_t address, size_t size)
{
    return has_from(t, 0, address, size);
}

bool gather_waits_in(uint32_t chunk)
{
    for (const struct thread *t = thread_first_waiting(); t != NULL; t = t->next_waiting)
        if (gather_has(t, (uintptr_t)chunk << OWNER_CHUNK_BITS, CHUNK))
            return true;
    return false;
}

/* Chunks that have an owner become shared, which settles what is pending there. */
static void share_chunks(const struct thread *t, uintptr_t address, size_t size)
{
    for (unsigned place = 0; place < PENDING_PLACES; place++) {
        uint64_t pending = load_acquire(&t->pending[place]);
        if (is_in(pending, address, size) && !has_no_owner(pending_base(pending)))
            owner_take(pending_base(pending), 1);
    }
}

/* What it has taken back for itself, it checks, or puts back. */
static uint32_t take_marked(struct thread *t, uintptr_t address, size_t size)
{
    uint32_t taken = 0, marked;
    for (;;) {
        while ((marked = mark(t, address, size, true)) != 0) {
            taken |= marked;
            owner_fence_all();
        }
        if (!has_from(t, CHECKING, address, size))
            return taken;
        sys_yield();
    }
}

/* Who tells of a race holds no such lock of its own. */
void gather_take(struct thread *self, struct thread *other, uintptr_t address, size_t size)
{
    share_chunks(other, address, size);
    spin_lock(&other->gathering);
    uint32_t taken = take_marked(other, address, size);
    check_marked(other, taken, &self->actor, shadow_access);
    spin_unlock(&other->gathering);
}

uint32_t gather_stop(struct thread *t, uint32_t chunk, uint32_t count)
{
    return mark(t, (uintptr_t)chunk << OWNER_CHUNK_BITS, (size_t)count << OWNER_CHUNK_BITS, false);
}

void gather_settle(struct thread *t, uint32_t marked, struct actor *actor)
{
    check_marked(t, marked, actor, shadow_access_alone);
}

void gather_forget(struct thread *t)
{
    __builtin_memset(t->pending, 0, sizeof t->pending);
}

/* --- for reports --- */

struct copy {
    uint64_t pending;
    struct pending_sites at;
    uint32_t now;
};

/* A copy that is whole, of one epoch of its thread, or false. */
static bool copy_word(const struct thread *other, unsigned place, struct copy *copy)
{
    copy->now = load_acquire(&other->actor.now);
    copy->pending = load_acquire(&other->pending[place]);
    for (unsigned i = 0; i < 4; i++) {
        copy->at.pc[i] = load_acquire(&other->sites[place].pc[i]);
        copy->at.node[i] = load_acquire(&other->sites[place].node[i]);
    }
    return copy->pending != 0 && load_acquire(&other->pending[place]) == copy->pending &&
           load_acquire(&other->actor.now) == copy->now;
}

bool gather_find(const struct thread *t, const struct race_found *found, struct access_site *site)
{
    uintptr_t byte = found->address & 3;
    for (unsigned place = 0; place < PENDING_PLACES; place++) {
        struct copy copy;
        if (kind_at(place) != found->conflict.kind || !copy_word(t, place, &copy) ||
            copy.now != found->conflict.earlier || pending_base(copy.pending) != found->address - byte ||
            !(pending_mask(copy.pending) >> byte & 1))
            continue;
        struct race_access_live a;
        for (unsigned to = 0; to <= byte;) /* the one that the byte is in */
            to = next_access(copy.pending, &copy.at, found->conflict.kind, to, &a);
        *site = (struct access_site){.pc = a.pc,
                                     .node = a.node,
                                     .kind = (uint8_t)found->conflict.kind,
                                     .held_known = true,
                                     .held_changes = t->held_changes,
                                     .address = a.address,
                                     .size = a.size};
        return true;
    }
    return false;
}
