#include "runtime/host/hints.h"

#include "runtime/fiber.h"
#include "runtime/host/events.h"
#include "runtime/host/stream.h"
#include "shadow/empty.h"

enum { PAGE_BITS = 12, PAGE = 1 << PAGE_BITS };

/* By page of the window that the shadow is for: has there ever been a hint? NULL: nowhere. */
static uint8_t *hinted;
static uint64_t batches; /* of numbers, that were given out */

static uint8_t *hinted_at(uintptr_t address)
{
    return &hinted[address >> PAGE_BITS & ((UINT64_C(1) << (SHADOW_WINDOW_BITS - PAGE_BITS)) - 1)];
}

void hints_start(void)
{
    if (hinted == NULL)
        hinted = arena_sparse((size_t)1 << (SHADOW_WINDOW_BITS - PAGE_BITS), false);
}

/* NOT_NARROW: there is none to be had. A fiber may stay when the thread that ran it, and its thread_now, are
 * gone. Numbers have 31 bits: who glances at a word with the last one set (shadow/atomic.h) takes it for a record. */
static uint32_t next_number(struct hints *h)
{
    enum { BATCH = 1 << HINT_BATCH_BITS, MOST = (1 << (31 - HINT_BATCH_BITS)) - 1 };
    if (load_relaxed(&fibers_exist) || hinted == NULL)
        return NOT_NARROW;
    if (h->left == 0) {
        uint64_t batch = add_relaxed(&batches, 1) + 1;
        if (batch >= MOST)
            return NOT_NARROW; /* all were used: there are no hints any more */
        h->number = (uint32_t)batch << HINT_BATCH_BITS;
        h->left = BATCH - 1;
    }
    h->number++;
    h->left--;
    return h->number;
}

uint32_t hints_renew(struct hints *h)
{
    uint32_t number = next_number(h);
    h->given = false;
    store_relaxed(&h->running, likely(number != NOT_NARROW) ? &thread_now : NULL);
    store_relaxed(&thread_now, number);
    return number;
}

/* Of the thread's epoch, for a word. */
static uint32_t number_now(struct hints *h)
{
    uint32_t now = load_relaxed(&thread_now); /* once: another thread may end the epoch */
    if (unlikely(now == NOT_NARROW))
        now = hints_renew(h);
    h->given = true;
    return now;
}

/* Both words, or one of them, for whoever reads them: for reads, for writes. */
static void put(uint32_t *half, unsigned words, uint32_t number)
{
    if (words == 0xff)
        store_relaxed(&half[2], number);
    exchange_acq_rel(half, number); /* a full fence */
}

void hint_habits(struct hints *h, enum access_kind kind)
{
    enum { ROUND = 64 };
    __typeof__(h->habit[0]) *habit = &h->habit[kind];
    if (++habit->recorded < ROUND)
        return;
    h->early[kind | 4 << TAPE_SIZE_SHIFT] = h->early[kind | 8 << TAPE_SIZE_SHIFT] =
        habit->hinted > ROUND / 4 * 3;
    *habit = (__typeof__(*habit)){0};
}

void hint_give(struct thread *t, struct hints *h, uintptr_t address, unsigned bytes, enum access_kind kind,
               uint64_t clears)
{
    unsigned words = hint_words(bytes);
    const struct stream *s = t->host->stream;
    uintptr_t first = words == 0xff ? address & -(uintptr_t)8 : address;
    uint32_t *half = (uint32_t *)shadow_of(first) + (kind == PLAIN_READ), number = number_now(h);
    h->habit[kind].hinted += filter_samples(filter_of(s, address / 8));
    if (likely(number != NOT_NARROW)) {
        store_relaxed(hinted_at(address), true);
        put(half, words, number);
        if (unlikely(load_acquire(&stream_clears) != clears)) {
            put(half, words, 0);
            hints_end(t, h);
        }
    }
    stream_leave(t);
}

void hints_end_of_other(const struct hints *h)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    uint32_t *running = load_relaxed(&h->running);
    if (running != NULL)
        store_relaxed(running, NOT_NARROW);
}

/* Few pages are looked at one by one; of many, the kernel knows which were used. The shadow begins again where the
 * window ends (shadow/map.h). */
void hints_cleared(uintptr_t address, size_t size)
{
    const size_t window = (size_t)1 << SHADOW_WINDOW_BITS, few = 16 * PAGE;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (unlikely(hinted == NULL))
        return;
    for (size_t part; size > 0; address += part, size -= part) {
        part = size < few ? min_size(size, PAGE - address % PAGE) : min_size(size, window - address % window);
        if (part >= few || load_relaxed(hinted_at(address)))
            empty((uintptr_t)shadow_of(address), (uintptr_t)(shadow_of(address + part - 1) + 1));
    }
}
