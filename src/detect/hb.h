/* The happens-before core of the clock-based detectors: thread clocks, lock clocks, and nothing else.
 *
 * State (000 Fig. 1): C_t for every thread, L_m for every lock. Reader locks, volatiles and barrier rounds
 * are the same three steps on further sync objects:
 *
 *   acquire     acq, racq, vr, bout        (clock/mailbox.h)
 *   release     rel                        and then inc_t(C_t)
 *   publish     rrel, vw, bin              and then inc_t(C_t)
 *
 * A lock has two objects: what writers released and what readers released. acq takes both, racq only the
 * first, so that readers do not order each other.
 *
 * Slots. Vector clocks are indexed by slot, not by thread: a thread whose clock reaches the limit of its slot
 * retires the slot and moves to a fresh one. Slots below narrow_slots have the limit narrow_clock (what fits
 * a packed epoch); when they run out, `reclaim` is asked for some; when it finds none, the thread gets a
 * *wide* slot, of which there is no shortage.
 *
 * Invariants, for every running thread t with slot s:
 *   1. thread[t].clock[s] == thread[t].now, and epoch == s@now
 *   2. every other clock's entry for s is < now                      (000 Def. 2, well-formed states)
 *   3. entries of a slot that nobody owns and nobody refers to are 0 everywhere once it is recycled
 *   4. all thread clocks have `capacity` entries, and slots < capacity: hot paths index without a check
 */
#pragma once

#include "base/mem.h"
#include "clock/mailbox.h"
#include "detect/detector.h"

/* Owned: a running thread counts in it. Retired: its last owner ended or moved on. Free: recycled. */
enum slot_state { SLOT_FREE, SLOT_OWNED, SLOT_RETIRED };

/* What an ended thread knew, for those who join it: the entries that are not 0. */
struct hb_final {
    uint32_t slot, clock;
};

struct hb_thread {
    uint32_t *clock; /* C_t, `capacity` entries; NULL before the thread starts and after it was joined */
    epoch epoch;     /* own slot and clock */
    uint32_t slot, now;
    uint32_t place; /* of a running thread: its index in hb.running */
    struct hb_final *final;
    size_t final_count;
};

struct hb {
    struct host *host;
    struct hb_thread *thread;
    uint32_t *running; /* ids of the threads that have a clock */
    size_t running_count, running_capacity;
    uint32_t *ended; /* ids of the threads with a non-empty final */
    size_t ended_count, ended_capacity;
    struct mailbox *lock, *readers, *volatiles, *rounds;
    size_t thread_capacity, lock_capacity, readers_capacity, volatiles_capacity, rounds_capacity;
    uint32_t capacity; /* entries in every thread clock */

    uint32_t slots; /* in use or retired: all below this */
    uint32_t narrow_slots, narrow_clock;
    uint32_t *free_slot; /* recycled narrow slots */
    size_t free_count, free_capacity;
    uint8_t *slot_state; /* by slot: enum slot_state */
    size_t slot_state_capacity;
    /* Makes retired narrow slots free again, if it can (hb_recycle); NULL: never. */
    void (*reclaim)(void *self);
    void *reclaim_self;

    uint64_t max_clock, sync_events;
};

/* narrow_slots 0: every slot is wide. */
void hb_init(struct hb *hb, struct host *host, uint32_t narrow_slots, uint32_t narrow_clock);
void hb_free(struct hb *hb);
void hb_extend(struct hb *hb);
void hb_start(struct hb *hb, uint32_t thread);
void hb_sync(struct hb *hb, const struct event *event);

/* For reclaim: gives all retired narrow slots back but those that something outside the hb refers to. Returns
 * how many there were. */
uint32_t hb_recycle(struct hb *hb, const bool *referred);

/* For reclaim, in a closed world: lowest[s] = the least that any running thread knows of slot s. An epoch
 * s@c with c ≤ lowest[s] happens before everything that can still happen. */
void hb_lowest(const struct hb *hb, uint32_t *lowest);

size_t hb_bytes(const struct hb *hb);

/* What every clock-based detector says in its statistics; the caller adds what it keeps for variables.
 * `counted` is the caller's: the table with its counters filled in. */
void hb_stats(const struct hb *hb, const struct rule_count *table, const uint64_t *fired,
              struct rule_count *counted, size_t rules, struct detector_stats *out);
