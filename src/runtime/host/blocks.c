#include "runtime/host/blocks.h"

#include <linux/futex.h>
#include <time.h>

#include "runtime/channel.h"

static struct tape_memory *memory;
static size_t memory_size;

static void map(int fd)
{
    enum { FROM_THE_END = 2 };
    long size = sys_call3(SYS_lseek, fd, 0, FROM_THE_END);
    if (size < (long)sizeof *memory)
        return;
    long at = sys_call6(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at <= 0)
        return;
    sys_call3(SYS_madvise, at, size, MADV_DONTDUMP);
    memory = (struct tape_memory *)at;
    memory_size = (size_t)size;
}

bool blocks_start(void)
{
    int fd = -1;
    if (channel_tape(0, &fd) && fd >= 0)
        map(fd);
    if (fd >= 0)
        sys_call3(SYS_close, fd, 0, 0);
    return memory != NULL;
}

void blocks_leave(void)
{
    if (memory != NULL)
        sys_unmap(memory, memory_size);
    memory = NULL;
}

/* --- waiting for each other --- */

static void wake(uint32_t *word)
{
    sys_call6(SYS_futex, (long)word, FUTEX_WAKE, 1 << 30, 0, 0, 0);
}

/* Until it is no longer `seen`. False: that took long, and may never come. */
static bool wait_for_change(uint32_t *word, uint32_t seen)
{
    struct timespec limit = {.tv_sec = 1};
    enum { TIMED_OUT = -110 };
    return sys_call6(SYS_futex, (long)word, FUTEX_WAIT, seen, (long)&limit, 0, 0) != TIMED_OUT;
}

/* Is it worth waiting for? */
static bool wait_for_free(uint32_t freed)
{
    wake(&memory->handed);
    add_acq_rel(&memory->waiting, 1);
    bool changed = wait_for_change(&memory->freed, freed);
    add_acq_rel(&memory->waiting, (uint32_t)-1);
    return changed || channel_tape(WIRE_TAPE_MODULES, NULL); /* is anybody there? */
}

/* --- blocks --- */

static bool may_take(bool thread)
{
    uint32_t left = add_acq_rel(&memory->free_count, (uint32_t)-1);
    if (left > (thread ? TAPE_RESERVED : 0) && left <= TAPE_BLOCKS)
        return true;
    add_acq_rel(&memory->free_count, 1);
    return false;
}

/* One of those that may_take() has counted. The count of changes keeps a block that has been used meanwhile
 * from being taken for the one that was first. */
static struct tape_head *take(void)
{
    for (uint64_t seen = load_acquire(&memory->free);;) {
        struct tape_head *head = &memory->head[(uint32_t)seen - 1];
        if (unlikely((uint32_t)seen == 0)) {
            seen = load_acquire(&memory->free); /* counted, and on its way */
            continue;
        }
        uint64_t rest = ((seen >> 32) + 1) << 32 | load_relaxed(&head->next);
        if (cas_acq_rel(&memory->free, &seen, rest))
            return head;
    }
}

void blocks_hand_over(struct tape_pen *pen)
{
    if (pen->head == NULL || memory == NULL) {
        pen->head = NULL;
        pen->at = pen->end = pen->begin = NULL;
        return;
    }
    uint32_t number = add_acq_rel(&memory->handed, 1);
    store_release(&memory->full[number % TAPE_BLOCKS], (uint32_t)(pen->head - memory->head) + 1);
    if ((number + 1 - load_relaxed(&memory->freed)) % TAPE_WAKE == 0)
        wake(&memory->handed);
    pen->head = NULL;
    pen->at = pen->end = pen->begin = NULL;
}

enum blocks_result blocks_next(struct tape_pen *pen, uint64_t first)
{
    blocks_hand_over(pen);
    if (memory == NULL)
        return BLOCKS_STOPPED;
    while (!load_relaxed(&memory->stopped)) {
        uint32_t freed = load_acquire(&memory->freed);
        if (may_take(pen->stream == TAPE_ACCESSES)) {
            pen->head = take();
            store_relaxed(&pen->head->written, 0);
            pen->head->first = first;
            pen->head->thread = pen->thread;
            store_release(&pen->head->stream, pen->stream);
            if (pen->stream != TAPE_ACCESSES)
                store_release(&memory->open[pen->stream], (uint32_t)(pen->head - memory->head) + 1);
            pen->at = pen->begin = memory->block[pen->head - memory->head];
            pen->end = pen->begin + TAPE_BLOCK;
            return BLOCKS_GOOD;
        }
        if (pen->stream == TAPE_ACCESSES && load_relaxed(&memory->handed) == freed)
            return BLOCKS_NONE;
        if (!wait_for_free(freed))
            break;
    }
    return BLOCKS_STOPPED;
}
