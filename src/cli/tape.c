#include "cli/tape.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "trace/tape_decode.h"

/* --- the memory --- */

static bool resize(struct tape *t, uint32_t blocks)
{
    t->block_count = blocks;
    t->memory_size = sizeof *t->memory + (size_t)blocks * TAPE_BLOCK;
    return ftruncate(t->shared, (off_t)t->memory_size) == 0;
}

static bool map_memory(struct tape *t)
{
    t->shared = memfd_create("photofinish-tape", MFD_CLOEXEC);
    uint32_t blocks = TAPE_BLOCKS;
    while (t->shared >= 0 && !resize(t, blocks) && blocks > TAPE_FEWEST)
        blocks /= 2; /* files may not be so large */
    void *memory = t->shared >= 0 && lseek(t->shared, 0, SEEK_END) == (off_t)t->memory_size
                       ? mmap(NULL, t->memory_size, PROT_READ | PROT_WRITE, MAP_SHARED, t->shared, 0)
                       : MAP_FAILED;
    t->memory = memory != MAP_FAILED ? memory : NULL;
    return t->memory != NULL;
}

static void give_back(struct tape *t, uint32_t block)
{
    struct tape_memory *m = t->memory;
    store_release(&m->head[block].stream, 0);
    for (uint64_t seen = load_acquire(&m->free);;) {
        store_relaxed(&m->head[block].next, (uint32_t)seen);
        if (cas_acq_rel(&m->free, &seen, ((seen >> 32) + 1) << 32 | (block + 1)))
            break;
    }
    add_acq_rel(&m->free_count, 1);
}

static void wake_waiting(struct tape *t)
{
    add_acq_rel(&t->memory->freed, 1);
    if (load_acquire(&t->memory->waiting) != 0)
        syscall(SYS_futex, &t->memory->freed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* --- the file, with the lock --- */

static void tell_once(struct tape *t)
{
    if (t->told)
        return;
    t->told = true;
    t->error = t->file.error;
    store_release(&t->memory->stopped, 1);
    t->broke(t->context, t);
}

static void put(struct tape *t, struct tape_file_block block, const void *bytes, size_t size)
{
    if (!t->told && !tape_file_put(&t->file, block, bytes, size))
        tell_once(t);
}

static bool put_name(void *context, const void *bytes, size_t size)
{
    struct tape *t = context;
    if (size > TAPE_MOST_RAW - t->names_size)
        return false;
    memcpy(t->names + t->names_size, bytes, size);
    t->names_size += size;
    return true;
}

struct naming {
    struct tape *t;
    uint32_t kind;
};

static void put_names(struct tape *t, uint32_t kind)
{
    if (t->names_size > 0 && t->file.error == 0)
        tape_file_put(&t->file, (struct tape_file_block){.kind = kind}, t->names, t->names_size);
    t->names_size = 0;
}

/* A block of names that is full is written, and the next begins. */
static bool put_entry(void *context, const void *bytes, size_t size)
{
    const struct naming *n = context;
    if (size > TAPE_MOST_RAW)
        return true; /* such a name helps nobody */
    if (!put_name(n->t, bytes, size)) {
        put_names(n->t, n->kind);
        put_name(n->t, bytes, size);
    }
    return n->t->file.error == 0;
}

static void write_names(struct tape *t, uint32_t kind,
                        void (*write)(struct places *, const struct places_writer *))
{
    struct naming naming = {t, kind};
    write(t->places, &(struct places_writer){put_entry, &naming});
    put_names(t, kind);
}

/* --- blocks, with the lock --- */

static void learn_places(struct tape *t, const uint8_t *bytes, size_t size)
{
    struct tape_slot slot;
    struct tape_records records = {bytes, bytes + size, 0};
    while (tape_decode(&records, &slot))
        places_record(t->places, &slot);
    t->damaged = t->damaged || records.at < records.end;
    if (t->damaged)
        tell_once(t);
}

/* What there is of the block and was not kept yet. The process may write there while we look, if it has gone
 * mad: so what is kept is a copy. */
static void keep(struct tape *t, uint32_t block)
{
    const struct tape_head *head = &t->memory->head[block];
    uint64_t written = load_acquire(&head->written);
    uint32_t from = (uint32_t)t->kept[block], to = (uint32_t)written;
    if (from >= to || t->told)
        return;
    bool goes_on = from > 0 && head->stream == TAPE_ACCESSES;
    struct tape_file_block b = {.kind = goes_on ? TAPE_MORE_ACCESSES : head->stream,
                                .thread = head->thread,
                                .first = from == 0 ? head->first : 0,
                                .accesses = (uint32_t)(written >> 32) - (uint32_t)(t->kept[block] >> 32)};
    if (to > TAPE_BLOCK || b.kind == 0 || (b.kind > TAPE_ACCESSES && !goes_on)) {
        t->damaged = true;
        tell_once(t);
        return;
    }
    memcpy(t->copy, t->memory->block[block] + from, to - from);
    if (b.kind == TAPE_PLACES)
        learn_places(t, t->copy, to - from);
    t->kept[block] = written;
    t->accesses += b.accesses;
    put(t, b, t->copy, to - from);
}

/* What there is so far: places come before what names them. */
static void keep_places(struct tape *t)
{
    uint32_t block = load_acquire(&t->memory->open[TAPE_PLACES]) - 1;
    if (block < t->block_count && load_acquire(&t->memory->head[block].stream) == TAPE_PLACES)
        keep(t, block);
}

static bool keep_full(struct tape *t)
{
    uint32_t *full = &t->memory->full[t->drained % TAPE_BLOCKS], block = load_acquire(full) - 1;
    if (t->drained == load_acquire(&t->memory->handed) || block == UINT32_MAX)
        return false;
    store_relaxed(full, 0);
    t->drained++;
    if (block >= t->block_count) {
        t->damaged = true;
        tell_once(t);
        return true;
    }
    keep_places(t);
    keep(t, block);
    t->kept[block] = 0;
    give_back(t, block);
    wake_waiting(t);
    return true;
}

/* --- the keeper --- */

/* Now and then what there is of the spine, without which the rest is worth nothing: whatever ends us. */
enum { OFTEN = 8 };

/* Is a block of the stream among the full ones? They come before the one that is open now. */
static bool stream_waits(const struct tape *t, uint32_t stream, uint32_t thread)
{
    const struct tape_memory *m = t->memory;
    for (uint32_t i = t->drained; i != load_acquire(&m->handed); i++) {
        uint32_t block = load_acquire(&m->full[i % TAPE_BLOCKS]) - 1;
        if (block >= t->block_count ||
            (m->head[block].stream == stream && (stream == TAPE_SPINE || m->head[block].thread == thread)))
            return true;
    }
    return false;
}

/* What there is so far of a block that is being written. */
static void keep_open(struct tape *t, uint32_t block)
{
    const struct tape_head *head = &t->memory->head[block];
    if (stream_waits(t, head->stream, head->thread))
        return;
    keep_places(t);
    keep(t, block);
}

static void keep_spine(struct tape *t)
{
    uint32_t block = load_acquire(&t->memory->open[TAPE_SPINE]) - 1;
    if (block < t->block_count && load_acquire(&t->memory->head[block].stream) == TAPE_SPINE)
        keep_open(t, block);
}

/* Threads that write nothing for a while: others may have had locks after them, and what they did then cannot be
 * read without that. */
static void keep_idle(struct tape *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if (now.tv_sec == t->looked)
        return;
    t->looked = now.tv_sec;
    for (uint32_t i = 0; i < t->block_count; i++) {
        uint64_t written = load_acquire(&t->memory->head[i].written);
        if (load_acquire(&t->memory->head[i].stream) == TAPE_ACCESSES && written == t->written[i])
            keep_open(t, i);
        t->written[i] = written;
    }
}

static void *keep_all(void *context)
{
    struct tape *t = context;
    while (!load_acquire(&t->ending)) {
        uint32_t handed = load_acquire(&t->memory->handed);
        pthread_mutex_lock(&t->lock);
        bool any = keep_full(t);
        if (!any || t->drained % OFTEN == 0)
            keep_spine(t);
        keep_idle(t);
        if (!any && t->file.used > 0 && !t->told && !tape_file_flush(&t->file))
            tell_once(t);
        pthread_mutex_unlock(&t->lock);
        const struct timespec soon = {.tv_nsec = 50000000};
        if (!any)
            syscall(SYS_futex, &t->memory->handed, FUTEX_WAIT, handed, &soon, NULL, 0);
    }
    return NULL;
}

bool tape_start(struct tape *t, uint32_t pid, const char *path, int fd, struct problem *problem)
{
    *t = (struct tape){.pid = pid, .path = strdup(path), .context = t->context, .broke = t->broke};
    if (!map_memory(t)) {
        problem_set(problem, 0, "no memory for a tape: %s", strerror(errno));
        if (t->shared >= 0)
            close(t->shared);
        free(t->path);
        return false;
    }
    t->names = malloc(TAPE_MOST_RAW);
    if (t->names == NULL)
        tool_failed("out of memory");
    t->places = places_new();
    tape_file_start(&t->file, fd);
    pthread_mutex_init(&t->lock, NULL);
    for (uint32_t i = t->block_count; i-- > 0;)
        give_back(t, i);
    if (pthread_create(&t->keeper, NULL, keep_all, t) != 0)
        tool_failed("no thread to keep a tape");
    return true;
}

void tape_look(struct tape *t)
{
    pthread_mutex_lock(&t->lock);
    if (!t->ended) {
        places_look(t->places, t->pid, &(struct places_writer){put_name, t});
        put_names(t, TAPE_MODULES);
    }
    pthread_mutex_unlock(&t->lock);
}

/* --- the end --- */

static int by_first(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Blocks that nobody has handed over: in the order of their streams. */
static void keep_unfinished(struct tape *t)
{
    static uint64_t order[TAPE_BLOCKS][2]; /* first, block */
    size_t count = 0;
    for (uint32_t i = 0; i < t->block_count; i++)
        if (load_acquire(&t->memory->head[i].stream) != 0) {
            order[count][0] = t->memory->head[i].first;
            order[count++][1] = i;
        }
    qsort(order, count, sizeof *order, by_first);
    for (size_t i = 0; i < count; i++)
        keep(t, (uint32_t)order[i][1]);
}

static void write_end(struct tape *t)
{
    write_names(t, TAPE_TEXTS, places_write_texts);
    write_names(t, TAPE_VARIABLES, places_write_variables);
    struct tape_file_block end = {.kind = TAPE_END, .thread = t->told, .first = t->accesses};
    if (tape_file_put(&t->file, end, NULL, 0))
        tape_file_flush(&t->file);
}

/* There may be many tapes after this one. */
static void give_up_memory(struct tape *t)
{
    munmap(t->memory, t->memory_size);
    close(t->shared);
    t->memory = NULL;
    places_free(t->places);
    tape_file_free(&t->file);
    free(t->names);
}

bool tape_end(struct tape *t)
{
    if (t->ended)
        return t->error == 0 && !t->damaged;
    store_release(&t->memory->stopped, 1);
    store_release(&t->ending, 1);
    syscall(SYS_futex, &t->memory->handed, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    pthread_join(t->keeper, NULL);
    pthread_mutex_lock(&t->lock);
    t->ended = true;
    while (keep_full(t))
        continue;
    keep_places(t);
    keep_unfinished(t);
    if (t->file.error == 0 || tape_file_take_back(&t->file))
        write_end(t);
    if (t->file.error != 0)
        tell_once(t);
    pthread_mutex_unlock(&t->lock);
    give_up_memory(t);
    return t->error == 0 && !t->damaged;
}

void tape_free(struct tape *t)
{
    pthread_mutex_destroy(&t->lock);
    free(t->path);
}
