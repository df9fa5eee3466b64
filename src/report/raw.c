#include "report/raw.h"

/* Reads numbers off a message; once something does not fit, everything after it is zero and `good` is false.
 */
struct cursor {
    const uint64_t *at;
    size_t left; /* numbers */
    bool good;
};

static const uint64_t *take(struct cursor *c, uint64_t numbers)
{
    if (!c->good || numbers > c->left) {
        c->good = false;
        return NULL;
    }
    const uint64_t *taken = c->at;
    c->at += numbers;
    c->left -= numbers;
    return taken;
}

static uint64_t number(struct cursor *c)
{
    const uint64_t *taken = take(c, 1);
    return taken != NULL ? *taken : 0;
}

/* A number of elements that there is room for. */
static uint64_t count(struct cursor *c, uint64_t most)
{
    uint64_t n = number(c);
    if (n <= most)
        return n;
    c->good = false;
    return 0;
}

static struct raw_text text(struct cursor *c)
{
    uint64_t length = count(c, WIRE_MOST_BYTES);
    const uint64_t *bytes = take(c, (length + 7) / 8);
    return (struct raw_text){bytes != NULL ? (const char *)bytes : "", bytes != NULL ? length : 0};
}

static struct raw_stack stack(struct cursor *c)
{
    struct raw_stack s = {.flags = number(c)};
    s.count = count(c, WIRE_MOST_FRAMES);
    s.pc = take(c, s.count);
    return s;
}

static struct raw_access access_of(struct cursor *c)
{
    struct raw_access a = {.kind = count(c, WIRE_ATOMIC_WRITE)};
    a.flags = number(c);
    a.size = number(c);
    a.address = number(c);
    a.thread = number(c);
    a.stack = stack(c);
    a.lock_count = count(c, WIRE_MOST_LOCKS);
    a.lock = (const struct raw_lock *)take(c, 2 * a.lock_count);
    a.released = number(c);
    a.released_stack = stack(c);
    return a;
}

static struct raw_location location(struct cursor *c)
{
    struct raw_location l = {.kind = count(c, WIRE_DESCRIPTOR)};
    l.address = number(c);
    l.size = number(c);
    l.thread = number(c);
    l.stack = stack(c);
    l.freed_by = number(c);
    l.free_stack = stack(c);
    l.map_from = number(c);
    l.map_to = number(c);
    l.map_path = text(c);
    return l;
}

static struct raw_thread thread(struct cursor *c)
{
    struct raw_thread t = {.id = number(c)};
    t.kernel_id = number(c);
    t.flags = number(c);
    t.creator = number(c);
    t.name = text(c);
    t.stack = stack(c);
    return t;
}

static struct raw_sync sync_of(struct cursor *c)
{
    struct raw_sync s = {.flags = number(c)};
    s.kind = count(c, WIRE_ANNOTATED);
    s.object = number(c);
    s.stack = stack(c);
    return s;
}

static struct raw_module module(struct cursor *c)
{
    struct raw_module m = {.from = number(c)};
    m.to = number(c);
    m.code = number(c);
    m.offset = number(c);
    m.flags = number(c);
    m.path = text(c);
    return m;
}

const struct wire_header *raw_header(const void *message, size_t length)
{
    const struct wire_header *h = message;
    bool good = length >= sizeof *h && h->magic == WIRE_MAGIC && h->length == length && length % 8 == 0;
    return good ? h : NULL;
}

static struct cursor begin(const struct wire_header *message)
{
    return (struct cursor){(const uint64_t *)(message + 1), (message->length - sizeof *message) / 8, true};
}

bool raw_race_unpack(struct raw_race *r, const struct wire_header *message)
{
    struct cursor c = begin(message);
    r->pid = message->pid;
    r->current = access_of(&c);
    r->earlier = access_of(&c);
    r->location = location(&c);
    r->block = number(&c);
    r->block_size = number(&c);
    r->thread_count = count(&c, RAW_MOST_THREADS);
    for (uint64_t i = 0; i < r->thread_count; i++)
        r->thread[i] = thread(&c);
    r->known = number(&c);
    r->sync_count = count(&c, WIRE_MOST_SYNC);
    for (uint64_t i = 0; i < r->sync_count; i++)
        r->sync[i] = sync_of(&c);
    r->mutex_count = count(&c, RAW_MOST_MUTEXES);
    for (uint64_t i = 0; i < r->mutex_count; i++)
        r->mutex[i] = (struct raw_mutex){.address = number(&c), .stack = stack(&c)};
    r->module_count = count(&c, RAW_MOST_MODULES);
    for (uint64_t i = 0; i < r->module_count; i++)
        r->module[i] = module(&c);
    return c.good;
}

bool raw_finish_unpack(struct raw_finish *f, const struct wire_header *message)
{
    struct cursor c = begin(message);
    f->status = (int64_t)number(&c);
    f->overwritten_threads = number(&c);
    f->overwritten_entries = number(&c);
    f->ignored_regions = number(&c);
    f->benign_ranges = number(&c);
    f->call_count = count(&c, RAW_MOST_CALLS);
    for (uint64_t i = 0; i < f->call_count; i++)
        f->call[i] = text(&c);
    f->module_count = count(&c, RAW_MOST_MODULES);
    for (uint64_t i = 0; i < f->module_count; i++)
        f->module[i] = text(&c);
    return c.good;
}

bool raw_settings_unpack(struct raw_settings *s, const struct wire_header *message)
{
    struct cursor c = begin(message);
    s->options_size = count(&c, WIRE_MOST_BYTES);
    s->options = take(&c, (s->options_size + 7) / 8);
    s->suppressions = text(&c);
    s->executable = text(&c);
    return c.good;
}
