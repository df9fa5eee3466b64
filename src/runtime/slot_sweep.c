/* When there is no slot left, or much garbage: what can be erased, merged, made more. */
#include "base/out.h"
#include "runtime/intercept/barrier.h"
#include "runtime/slot_table.h"
#include "runtime/sync.h"
#include "shadow/chunks.h"
#include "shadow/sweep.h"

/* One in so many slots shall be free after a sweep, so that the next one is not due too soon. */
#ifndef FREE_PART /* tests sweep all the time */
#define FREE_PART 4
#endif

uint32_t *slot_known, *slot_lowest;
static uint32_t *kept; /* by slot: all ones, or 0 if it is free */
static uint32_t swept, merged, widened;

void pf_slots_counts(uint32_t *sweeps, uint32_t *mergers, uint32_t *widenings)
{
    *sweeps = load_relaxed(&swept);
    *mergers = load_relaxed(&merged);
    *widenings = load_relaxed(&widened);
}

/* --- all clocks there are --- */

static void each_of_record(struct sync **list, void *to)
{
    const struct each_clock *each = to;
    for (struct sync *s = *list; s != NULL; s = s->next) {
        each->mailbox(&s->released);
        each->mailbox(&s->readers);
        each->mailbox(&s->stored);
    }
    if (each->sync != NULL)
        each->sync(list);
}

void slot_each_clock(const struct each_clock *each)
{
    for (struct thread *t = registry.all; t != NULL; t = t->next) {
        if (t->shrunk)
            continue; /* nobody will ask what it knew */
        each->vector(t->clock, thread_slots);
        if (t->fenced.clock != NULL)
            each->vector(t->fenced.clock, thread_slots);
        if (t->loaded.clock != NULL)
            each->vector(t->loaded.clock, thread_slots);
    }
    slot_pending_each(each->vector);
    barrier_each_mailbox(each->mailbox);
    sweep_each_sync(each_of_record, (void *)each);
}

/* --- erasing --- */

/* What all running threads know. */
static void find_known_to_running(void)
{
    if (slot_known == NULL) {
        slot_known = arena_pages(MOST_SLOTS * sizeof *slot_known);
        slot_lowest = arena_pages(MOST_SLOTS * sizeof *slot_lowest);
        kept = arena_pages(MOST_SLOTS * sizeof *kept);
    }
    for (uint32_t s = 0; s < thread_slots; s++)
        slot_known[s] = slot_lowest[s] = UINT32_MAX;
    for (const struct thread *t = registry.running; t != NULL; t = t->next_running)
        for (uint32_t s = 0; s < thread_slots; s++)
            slot_known[s] = t->clock[s] < slot_known[s] ? t->clock[s] : slot_known[s];
}

/* And what will be known to all threads whose creation nobody will see. */
static void find_known(void)
{
    find_known_to_running();
    slot_pending_lower(slot_known);
}

static void free_unmentioned(void)
{
    for (uint32_t s = 0; s < thread_slots; s++) {
        const struct slot *slot = &slot_table.slot[s];
        if (slot->state == SLOT_RETIRED && slot_lowest[s] == UINT32_MAX)
            slot_free_retired(s);
        kept[s] = slot->state == SLOT_FREE ? 0 : UINT32_MAX;
    }
}

static void keep_entries(uint32_t *clock, uint32_t length)
{
    for (uint32_t s = 0; s < length; s++)
        clock[s] &= kept[s];
}

static void clean_mailbox(struct mailbox *m)
{
    if (m->length == 0)
        return;
    if (vclock_first_above(m->clock, slot_known, m->length) == m->length) {
        mailbox_forget(m); /* nobody can learn anything from it */
        return;
    }
    keep_entries(m->clock, m->length);
    if (!epoch_is_none(m->snapshot) && kept[epoch_slot(m->snapshot)] == 0)
        m->snapshot = (epoch){0};
}

static void drop_sync(struct sync **list)
{
    sync_drop_unused(list, slot_known, kept);
}

/* Fences' snapshots may be of a slot that is free now. */
static void clean_threads(void)
{
    for (struct thread *t = registry.all; t != NULL; t = t->next) {
        thread_shrink_locked(t);
        actor_forget(&t->actor);
        if (!epoch_is_none(t->fenced.snapshot) && kept[epoch_slot(t->fenced.snapshot)] == 0)
            t->fenced.snapshot = (epoch){0};
    }
}

static void erase(void)
{
    find_known();
    sweep_shadow(&(struct sweep){.known = slot_known, .lowest = slot_lowest, .lost = sync_lost});
    free_unmentioned();
    slot_each_clock(&(struct each_clock){keep_entries, clean_mailbox, drop_sync});
    clean_threads();
    swept++;
}

/* A timer that goes on for the whole run would keep the slots of all threads that come and go. */
static bool give_up_pending(void)
{
    enum { MOST_KEPT = MOST_SLOTS / 32 }; /* clocks of 16 KiB */
    if (slot_count() < MOST_KEPT)
        return false;
    find_known_to_running();
    return slot_pending_learn(slot_known);
}

/* --- garbage --- */

/* Below these a sweep is not worth its time, which is that of looking at all chunks in use. Records and sync objects of
 * memory that was freed, counted references above all, wait for a sweep, too: a program with few chunks shall not keep
 * many of them. */
enum {
    FEW_RECORDS = 1 << 20,
    FEW_RECORDS_AT_LEAST = 1 << 16,
    RECORDS_A_CHUNK = 64,
    FEW_SETS = 1 << 18,
    FEW_VECTORS = 1 << 22,
    FEW_GROUPS = 1 << 23,
    FEW_LEFT_GROUPS = 1 << 20,
    MOST_LIVE = 7 << (BYTE_GROUP_BITS - 3), /* of groups that there are */
    FEW_BYTES = 128 << 20,
    FEW_BYTES_AT_LEAST = 8 << 20,
    BYTES_A_CHUNK = 8 << 10
};

/* What the last sweep left. */
static struct {
    size_t records, sets, groups, bytes, chunks;
} left;

static void count_chunk(uint32_t chunk, void *chunks)
{
    (void)chunk;
    ++*(size_t *)chunks;
}

static size_t few_records(void)
{
    return min_size(FEW_RECORDS_AT_LEAST + RECORDS_A_CHUNK * left.chunks, FEW_RECORDS);
}

static size_t few_bytes(void)
{
    return min_size(FEW_BYTES_AT_LEAST + BYTES_A_CHUNK * left.chunks, FEW_BYTES);
}

bool slots_garbage_due(void)
{
    return record_live() > few_records() + 2 * left.records || sets_live() > FEW_SETS + 2 * left.sets ||
           vector_live() > FEW_VECTORS || bytes_live() > min_size(FEW_GROUPS + 2 * left.groups, MOST_LIVE) ||
           bytes_garbage() > FEW_LEFT_GROUPS + left.groups || sync_bytes() > few_bytes() + 2 * left.bytes;
}

/* --- all --- */

static cold_path _Noreturn void out_of_slots(void)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: more than ");
    out_number(&out, MOST_SLOTS);
    out_text(&out,
             " threads whose accesses are all unordered with each other: that many are not supported\n");
    out_flush(&out);
    sys_exit_process(EXIT_TOOL_FAILED);
}

static bool too_few_free(void)
{
    return slot_table.free <= slot_count() / FREE_PART;
}

void slots_sweep_stopped(void)
{
    erase();
    if (too_few_free() && slot_merge())
        merged++;
    if (too_few_free() && give_up_pending())
        erase();
    for (; too_few_free() && slot_count() < MOST_SLOTS; widened++)
        slot_widen();
    if (slot_table.free == 0)
        out_of_slots();
    left.records = record_live();
    left.sets = sets_live();
    left.groups = bytes_live();
    left.bytes = sync_bytes();
    left.chunks = 0;
    chunks_each(count_chunk, &left.chunks);
}
