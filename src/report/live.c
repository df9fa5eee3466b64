#include "report/live.h"

#include <inttypes.h>
#include <string.h>

#include "report/explain.h"
#include "report/own_frame.h"
#include "report/shape.h"
#include "report/unseen.h"

/* What is at hand while a race is being made. */
struct maker {
    const struct raw_race *raw;
    const struct options *options;
    struct symbols *symbols;
    struct pool *pool;
    struct module **module; /* of raw->module[i], looked up when first needed */
    uint64_t *bias;
    const char **path;
    struct live_race *race;
};

/* --- places in the program --- */

/* A path without what the user asked to leave out. */
static const char *stripped(const struct maker *m, const char *path)
{
    const char *prefix = m->options->strip_path_prefix;
    if (path == NULL)
        return NULL;
    const char *at = prefix[0] != '\0' ? strstr(path, prefix) : NULL;
    if (at != NULL && at[strlen(prefix)] != '\0')
        path = at + strlen(prefix);
    return path[0] == '.' && path[1] == '/' ? path + 2 : path;
}

/* The module that an address lies in: an index, or module_count. */
static size_t module_at(const struct maker *m, uint64_t address)
{
    for (size_t i = 0; i < m->raw->module_count; i++)
        if (address >= m->raw->module[i].from && address < m->raw->module[i].to)
            return i;
    return m->raw->module_count;
}

static void open_module(struct maker *m, size_t i)
{
    const struct raw_module *raw = &m->raw->module[i];
    if (m->module[i] != NULL)
        return;
    m->path[i] = pool_text(m->pool, raw->path.text, raw->path.length);
    m->module[i] = symbols_module(m->symbols, m->path[i]);
    m->bias[i] = symbols_bias(m->module[i], raw->code, raw->offset, raw->from);
}

/* --- stacks --- */

static const char *const marks[WIRE_MARKS] = {
    [WIRE_MARK_EXIT] = "[exit handler, registered at]",
    [WIRE_MARK_QUICK_EXIT] = "[handler of quick_exit, registered at]",
    [WIRE_MARK_KEY] = "[destructor of thread-specific data, key created at]"};

static size_t frames_of_pc(struct maker *m, uint64_t pc, struct live_frame *out, size_t room)
{
    if (pc < WIRE_MARKS && marks[pc] != NULL) {
        *out = (struct live_frame){.function = marks[pc], .mark = true};
        return 1;
    }
    uint64_t address = pc - 1; /* inside the call, not after it */
    size_t i = module_at(m, address);
    if (i == m->raw->module_count) {
        *out = (struct live_frame){.address = address};
        return 1;
    }
    open_module(m, i);
    const struct symbol_frame unknown = {0}, *found = &unknown;
    uint64_t offset = address - m->bias[i];
    size_t count = m->options->symbolize ? symbols_frames(m->symbols, m->module[i], offset, &found) : 1;
    if (!m->options->symbolize_inline_frames) {
        found += count - 1;
        count = 1;
    }
    count = count < room ? count : room;
    for (size_t k = 0; k < count; k++)
        out[k] = (struct live_frame){.function = m->options->demangle
                                                     ? symbols_demangle(m->pool, found[k].function)
                                                     : found[k].function,
                                     .file = stripped(m, found[k].file),
                                     .source = found[k].file,
                                     .module = m->path[i],
                                     .line = found[k].line,
                                     .column = found[k].column,
                                     .function_line = found[k].function_line,
                                     .nested = found[k].nested,
                                     .address = address,
                                     .offset = offset,
                                     .inlined = found[k].inlined};
    return count;
}

static bool is_of(const struct live_frame *f, const char *library)
{
    const char *slash = f->module != NULL ? strrchr(f->module, '/') : NULL;
    return slash != NULL && strncmp(slash + 1, library, strlen(library)) == 0;
}

/* The code that calls main or a thread's function: libc's or ours. */
static bool is_start(const struct live_frame *f)
{
    if (is_of(f, "libphotofinish.so") || is_of(f, "libtsan.so") ||
        (f->function == NULL && is_of(f, "libc.so.")))
        return true;
    return symbols_is_start(f->function);
}

/* What starts threads and main is not the program's: the outermost frames up to it are left out. */
static size_t without_start(const struct live_frame *frame, size_t count)
{
    while (count > 1 && is_start(&frame[count - 1]))
        count--;
    return count;
}

static struct live_stack stack_of(struct maker *m, const struct raw_stack *raw)
{
    enum { MOST = 4 * WIRE_MOST_FRAMES };
    struct live_frame frames[MOST];
    size_t count = 0;
    for (size_t i = 0; i < raw->count && count < MOST; i++)
        count += frames_of_pc(m, raw->pc[i], frames + count, MOST - count);
    struct live_stack s = {.known = raw->flags & WIRE_STACK_KNOWN, .cut = raw->flags & WIRE_STACK_CUT};
    s.count = s.cut ? count : without_start(frames, count);
    s.frame = pool_take(m->pool, (s.count + 1) * sizeof *frames);
    memcpy(s.frame, frames, s.count * sizeof *frames);
    return s;
}

/* The function that freed is not in the stack of its access: it would be the innermost frame. */
static void add_free_frame(struct maker *m, uint64_t flags, struct live_stack *s)
{
    static const char *const names[] = {[WIRE_FREE] = "free",
                                        [WIRE_REALLOC] = "realloc",
                                        [WIRE_DELETE] = "operator delete(void*)",
                                        [WIRE_DELETE_ARRAY] = "operator delete[](void*)"};
    struct live_frame *frame = pool_take(m->pool, (s->count + 1) * sizeof *frame);
    frame[0] = (struct live_frame){.function = names[flags >> WIRE_ACCESS_WAY & 3]};
    memcpy(frame + 1, s->frame, s->count * sizeof *frame);
    s->frame = frame;
    s->count++;
}

/* --- variables --- */

static void find_global(struct maker *m, uint64_t address, struct live_location *l)
{
    size_t i = module_at(m, address);
    if (i == m->raw->module_count)
        return;
    open_module(m, i);
    struct symbol_global global = {.address = address - m->bias[i]};
    if (!symbols_global(m->module[i], global.address, &global) &&
        !symbols_in_image(m->module[i], global.address))
        return;
    *l = (struct live_location){.place = LIVE_GLOBAL,
                                .address = global.address + m->bias[i],
                                .size = global.size,
                                .name = m->options->demangle ? symbols_demangle(m->pool, global.name)
                                                             : global.name,
                                .module = m->path[i],
                                .offset = global.address};
}

/* --- threads, locks, accesses --- */

static const struct live_thread *thread_of(const struct maker *m, uint64_t id)
{
    for (size_t i = 0; i < m->race->thread_count; i++)
        if (m->race->thread[i].id == id)
            return &m->race->thread[i];
    return NULL;
}

static void make_threads(struct maker *m)
{
    struct live_race *r = m->race;
    r->thread_count = m->raw->thread_count;
    r->thread = pool_take(m->pool, (r->thread_count + 1) * sizeof *r->thread);
    for (size_t i = 0; i < r->thread_count; i++) {
        const struct raw_thread *t = &m->raw->thread[i];
        r->thread[i] = (struct live_thread){.id = t->id,
                                            .kernel_id = t->kernel_id,
                                            .creator = t->creator,
                                            .name = pool_text(m->pool, t->name.text, t->name.length),
                                            .running = t->flags & WIRE_THREAD_RUNNING,
                                            .detached = t->flags & WIRE_THREAD_DETACHED,
                                            .joined = t->flags & WIRE_THREAD_JOINED,
                                            .stack = stack_of(m, &t->stack)};
    }
}

static const struct live_mutex *mutex_of(const struct maker *m, uint64_t address)
{
    for (size_t i = 0; i < m->race->mutex_count; i++)
        if (m->race->mutex[i].address == address)
            return &m->race->mutex[i];
    return NULL;
}

/* "lock", and "locks+40": one of several in a variable is not the others. */
static const char *global_name(struct maker *m, uint64_t address)
{
    struct live_location l = {.name = NULL};
    find_global(m, address, &l);
    if (l.name == NULL || l.address == address)
        return l.name;
    return pool_format(m->pool, "%s+%" PRIu64, l.name, address - l.address);
}

static void make_mutexes(struct maker *m)
{
    struct live_race *r = m->race;
    r->mutex = pool_take(m->pool, (m->raw->mutex_count + 1) * sizeof *r->mutex);
    for (size_t i = 0; i < m->raw->mutex_count; i++) {
        const struct raw_mutex *raw = &m->raw->mutex[i];
        if (mutex_of(m, raw->address) != NULL)
            continue;
        r->mutex[r->mutex_count] = (struct live_mutex){.number = (unsigned)r->mutex_count + 1,
                                                       .address = raw->address,
                                                       .name = global_name(m, raw->address),
                                                       .stack = stack_of(m, &raw->stack)};
        r->mutex_count++;
    }
}

static struct live_access access_of(struct maker *m, const struct raw_access *raw)
{
    struct live_access a = {.kind = (enum wire_access_kind)raw->kind,
                            .is_free = raw->flags & WIRE_ACCESS_FREE,
                            .in_handler = raw->flags & WIRE_ACCESS_HANDLER,
                            .size = raw->size,
                            .address = raw->address,
                            .thread = thread_of(m, raw->thread),
                            .stack = stack_of(m, &raw->stack),
                            .locks_known = raw->flags & WIRE_ACCESS_LOCKS_KNOWN,
                            .locks_cut = raw->flags & WIRE_ACCESS_LOCKS_CUT,
                            .released = raw->released != 0 ? mutex_of(m, raw->released) : NULL,
                            .released_stack = stack_of(m, &raw->released_stack)};
    if (a.is_free && a.stack.known)
        add_free_frame(m, raw->flags, &a.stack);
    a.lock = pool_take(m->pool, (raw->lock_count + 1) * sizeof *a.lock);
    for (size_t i = 0; i < raw->lock_count; i++) {
        const struct live_mutex *mutex = mutex_of(m, raw->lock[i].address);
        if (mutex != NULL)
            a.lock[a.lock_count++] =
                (struct live_lock){.mutex = mutex, .read = raw->lock[i].mode & WIRE_LOCK_READ};
    }
    return a;
}

static void make_syncs(struct maker *m)
{
    struct live_race *r = m->race;
    r->known = m->raw->known;
    r->sync_count = m->raw->sync_count;
    r->sync = pool_take(m->pool, (r->sync_count + 1) * sizeof *r->sync);
    for (size_t i = 0; i < r->sync_count; i++) {
        const struct raw_sync *raw = &m->raw->sync[i];
        bool named = raw->kind != WIRE_THREAD && raw->kind != WIRE_KERNEL && raw->kind != WIRE_FENCE;
        r->sync[i] = (struct live_sync){.second = raw->flags & WIRE_SYNC_SECOND,
                                        .after = raw->flags & WIRE_SYNC_AFTER,
                                        .reached = raw->flags & WIRE_SYNC_REACHED,
                                        .acquires = raw->flags & WIRE_SYNC_ACQUIRES,
                                        .releases = raw->flags & WIRE_SYNC_RELEASES,
                                        .writes = raw->flags & WIRE_SYNC_WRITES,
                                        .shared = raw->flags & WIRE_SYNC_SHARED,
                                        .kind = (enum wire_sync)raw->kind,
                                        .object = raw->object,
                                        .mutex = raw->kind == WIRE_LOCK ? mutex_of(m, raw->object) : NULL,
                                        .name = named ? global_name(m, raw->object) : NULL,
                                        .stack = stack_of(m, &raw->stack)};
    }
}

/* --- what the memory is --- */

static struct live_location location_of(struct maker *m, const struct raw_location *raw)
{
    static const enum live_place places[] = {
        [WIRE_OTHER_MEMORY] = LIVE_UNKNOWN, [WIRE_HEAP] = LIVE_HEAP, [WIRE_FREED_HEAP] = LIVE_HEAP,
        [WIRE_STACK] = LIVE_STACK,          [WIRE_TLS] = LIVE_TLS,   [WIRE_DESCRIPTOR] = LIVE_DESCRIPTOR};
    struct live_location l = {.place = places[raw->kind], .address = raw->address};
    if (l.place == LIVE_UNKNOWN) {
        find_global(m, raw->address, &l);
        if (l.place == LIVE_UNKNOWN && raw->map_to > raw->map_from) {
            const char *path = pool_text(m->pool, raw->map_path.text, raw->map_path.length);
            l = (struct live_location){.place = LIVE_MAPPED,
                                       .address = raw->map_from,
                                       .size = raw->map_to - raw->map_from,
                                       .name = path[0] != '\0' ? path : NULL};
        }
        return l;
    }
    l.freed = raw->kind == WIRE_FREED_HEAP;
    l.size = raw->size;
    l.thread = thread_of(m, raw->thread);
    l.stack = stack_of(m, &raw->stack);
    l.freed_by = thread_of(m, raw->freed_by);
    l.free_stack = stack_of(m, &raw->free_stack);
    return l;
}

/* A free is checked in whole words: it is told with the size that the block was asked for. */
static void cut_free(struct live_access *a, const struct live_location *l)
{
    if (a->is_free && l->place == LIVE_HEAP && a->address == l->address && l->size > 0 && a->size > l->size)
        a->size = l->size;
}

/* --- the race --- */

void live_race_make(struct live_race *race, const struct raw_race *raw, const struct options *options,
                    struct symbols *symbols, struct pool *pool)
{
    size_t modules = raw->module_count + 1;
    *race = (struct live_race){.pid = raw->pid, .block_size = raw->block_size};
    struct maker m = {.raw = raw, .options = options, .symbols = symbols, .pool = pool, .race = race};
    m.module = pool_take(pool, modules * sizeof *m.module);
    m.bias = pool_take(pool, modules * sizeof *m.bias);
    m.path = pool_take(pool, modules * sizeof *m.path);
    make_threads(&m);
    make_mutexes(&m);
    race->current = access_of(&m, &raw->current);
    race->earlier = access_of(&m, &raw->earlier);
    race->location = location_of(&m, &raw->location);
    cut_free(&race->current, &race->location);
    cut_free(&race->earlier, &race->location);
    make_syncs(&m);
    race->unseen = unseen_of_race(race, raw, pool);
    race->why = explain_race(race, pool);
    race->shape = shape_of_race(race, pool);
}

static bool writes(const struct live_access *a)
{
    return a->kind == WIRE_WRITE || a->kind == WIRE_ATOMIC_WRITE;
}

enum race_kind live_race_kind(const struct live_race *r)
{
    if (!writes(&r->earlier))
        return RACE_READ_WRITE;
    return writes(&r->current) ? RACE_WRITE_WRITE : RACE_WRITE_READ;
}

const struct live_frame *live_race_top(const struct live_race *r)
{
    const struct live_stack *s = &r->current.stack;
    const struct live_frame *shown = live_stack_shown(s);
    size_t first = r->current.is_free && s->count > 1 ? 1 : 0;
    if (shown != NULL)
        return shown;
    return s->count > first ? &s->frame[first] : NULL;
}
