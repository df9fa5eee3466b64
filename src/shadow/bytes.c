#include "shadow/bytes.h"

#include "base/arena.h"
#include "base/out.h"
#include "shadow/freed.h"

enum { MOST_GROUPS = 1 << BYTE_GROUP_BITS, AT_ONCE = 64 };

read_mostly struct byte_group *byte_groups;
read_mostly uint32_t byte_round;

/* By 64 groups: those that the last sweep has found in use. */
static uint64_t *kept;

static struct {
    struct spin lock;
    uint32_t next; /* the first one that was not looked at since the last sweep */
    uint32_t live;
    uint32_t kept_end; /* none of these and above was kept */
} taken;

/* Groups that no word names any more, since the last sweep. */
static uint32_t garbage;

void bytes_init(void)
{
    byte_groups = arena_sparse(sizeof *byte_groups * MOST_GROUPS, true);
    kept = arena_sparse(MOST_GROUPS / 8, true);
}

cold_path static _Noreturn void out_of_groups(void)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: more than ");
    out_number(&out, MOST_GROUPS);
    out_text(&out, " words are accessed byte by byte: that many are not supported\n");
    out_flush(&out);
    sys_exit_process(EXIT_TOOL_FAILED);
}

/* Groups are used one after the other, and then found from all over the memory: from the second large page on, the kernel is
 * asked for large ones. */
static void prefer_huge(uint32_t group)
{
    enum { HUGE_PAGE = 2 << 20, IN_ONE = HUGE_PAGE / sizeof(struct byte_group) };
    if (group % IN_ONE == 0 && group != 0 && !arena_lazy)
        sys_call3(SYS_madvise, (long)&byte_groups[group], HUGE_PAGE, MADV_HUGEPAGE);
}

/* Without the compiler's library, which a static program need not have. */
static uint32_t count_bits(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

cold_path static void take_some(struct groups_at_hand *groups)
{
    spin_lock(&taken.lock);
    while (taken.next < MOST_GROUPS && kept[taken.next / AT_ONCE] == UINT64_MAX)
        taken.next += AT_ONCE;
    if (taken.next == MOST_GROUPS)
        out_of_groups();
    groups->first = taken.next;
    groups->free = ~kept[taken.next / AT_ONCE];
    groups->round = byte_round;
    prefer_huge(taken.next);
    taken.next += AT_ONCE;
    store_relaxed(&taken.live, taken.live + count_bits(groups->free));
    spin_unlock(&taken.lock);
}

uint32_t bytes_live(void)
{
    return load_relaxed(&taken.live);
}

uint32_t bytes_garbage(void)
{
    return load_relaxed(&garbage);
}

void bytes_cleared(uint32_t words)
{
    __atomic_fetch_add(&garbage, words, __ATOMIC_RELAXED);
}

static uint32_t take(struct groups_at_hand *groups)
{
    if (unlikely(!bytes_at_hand(groups)))
        take_some(groups);
    uint32_t group = groups->first + (uint32_t)__builtin_ctzll(groups->free);
    groups->free &= groups->free - 1;
    return group;
}

/* Gives the group's cells these states. Returns the PAGED word that names it. */
static uint64_t paged_word(uint32_t group, const uint64_t state[4])
{
    for (unsigned i = 0; i < 4; i++)
        store_relaxed(&byte_groups[group].cell[i], state[i]);
    return (uint64_t)(NARROW_TAG | group) << 32 | PAGED;
}

uint64_t bytes_new_paged(const uint64_t state[4])
{
    static struct spin lock;
    static struct groups_at_hand shared;
    spin_lock(&lock);
    uint32_t group = take(&shared);
    spin_unlock(&lock);
    return paged_word(group, state);
}

/* The word was empty when it became BUSY: was its memory freed meanwhile? (shadow/freed.h) */
static uint64_t empty_state(const uint64_t *word)
{
    uint32_t freed = freed_when(word);
    if (unlikely(freed != 0))
        freed_mark(word);
    return freed;
}

void bytes_materialize(uint64_t *word, uint64_t seen, struct actor *t)
{
    uint64_t old = seen, busy = BUSY, state = seen;
    uint32_t group = take(&t->groups);
    if (!cas_acq_rel(word, &old, BUSY)) {
        t->groups.free |= UINT64_C(1) << (group - t->groups.first);
        return;
    }
    if (seen == 0)
        state = empty_state(word);
    else if (is_vector(read_half(seen)))
        state = (uint64_t)state_take_readers(seen) << 32 | write_half(seen);
    uint64_t paged = paged_word(group, (uint64_t[]){state, state, state, state});
    cas_acq_rel(word, &busy, paged); /* fails if the word was cleared meanwhile */
}

/* A cell is BUSY while its readers become a set (shadow/state.c). */
static uint64_t close(uint64_t *cell)
{
    for (;;) {
        uint64_t seen = load_acquire(cell);
        if (unlikely(write_half(seen) == BUSY))
            sys_yield();
        else if (likely(cas_acq_rel(cell, &seen, CELL_CLOSED)))
            return seen;
    }
}

bool bytes_close(uint64_t *word, uint64_t seen, uint64_t cell[4])
{
    uint64_t *at = byte_cells(seen);
    if (!cas_acq_rel(word, &seen, BUSY))
        return false;
    for (unsigned i = 0; i < 4; i++)
        cell[i] = close(&at[i]);
    __atomic_fetch_add(&garbage, 1, __ATOMIC_RELAXED);
    return true;
}

static bool are_one_state(const uint64_t *cell)
{
    return bytes_agree(cell) && !is_vector(read_half(cell[0])) && write_half(cell[0]) != BUSY;
}

/* Cells that differ after all, since somebody was faster than the last look, are open again before the word is PAGED. */
void bytes_fold(uint64_t *word, uint64_t seen)
{
    uint64_t cell[4], busy = BUSY, *at = byte_cells(seen);
    for (unsigned i = 0; i < 4; i++)
        cell[i] = load_acquire(&at[i]);
    if (!are_one_state(cell) || !bytes_close(word, seen, cell))
        return;
    if (likely(are_one_state(cell))) {
        cas_acq_rel(word, &busy, cell[0]);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        store_release(&at[i], cell[i]);
    cas_acq_rel(word, &busy, seen);
    __atomic_fetch_sub(&garbage, 1, __ATOMIC_RELAXED);
}

/* --- while the world is stopped --- */

void bytes_sweep_begin(void)
{
    uint32_t end = taken.next > taken.kept_end ? taken.next : taken.kept_end;
    __builtin_memset(kept, 0, end / 8);
    taken.kept_end = 0;
    taken.live = 0;
    garbage = 0;
    byte_round++;
}

void bytes_keep(uint32_t group)
{
    kept[group / AT_ONCE] |= UINT64_C(1) << group % AT_ONCE;
    if (group >= taken.kept_end)
        taken.kept_end = (group / AT_ONCE + 1) * AT_ONCE;
    taken.live++;
}

void bytes_sweep_end(void)
{
    taken.next = 0;
}
