#include "runtime/host/recorder.h"

#include "runtime/annotations.h"
#include "runtime/channel.h"
#include "runtime/host/events.h"
#include "runtime/init.h"
#include "runtime/stack.h"
#include "trace/tape.h"

_Static_assert((int)TAPE_READ == PLAIN_READ && (int)TAPE_WRITE == PLAIN_WRITE &&
                   (int)TAPE_ATOMIC_READ == ATOMIC_READ && (int)TAPE_ATOMIC_WRITE == ATOMIC_WRITE,
               "kinds go to the tape as they are");

enum { LONGEST_ACCESS = 1 << 30 };

bool recorder_on, recorder_repeats;

static struct tape_slot *windows; /* TAPE_WINDOWS of them */
static struct tape_slot *next, *end;
static uint64_t window; /* number of the one in use */
static long owner;      /* the process whose tape it is; 0: there never was one */
static uint8_t *told;   /* by node of the stack: is it on this tape? */
static size_t told_capacity;

/* --- the tape --- */

static void stop(void)
{
    recorder_on = false;
    next = end = NULL;
}

static void use_window(uint64_t number)
{
    window = number;
    next = windows + number % TAPE_WINDOWS * TAPE_WINDOW;
    end = next + TAPE_WINDOW;
}

static long process(void)
{
    return sys_call3(SYS_getpid, 0, 0, 0);
}

static void start(void)
{
    enum { BYTES = TAPE_WINDOWS * TAPE_WINDOW * sizeof(struct tape_slot) };
    int fd = -1;
    owner = process();
    recorder_on = channel_tape(0, &fd) && fd >= 0;
    if (recorder_on) {
        long at = sys_call6(SYS_mmap, 0, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        recorder_on = at > 0;
        windows = (struct tape_slot *)at;
    }
    if (fd >= 0)
        sys_call3(SYS_close, fd, 0, 0);
    if (recorder_on)
        use_window(0);
}

static cold_path bool next_window(void)
{
    if (!recorder_on)
        return false;
    if (channel_tape(window + 1, NULL))
        use_window(window + 1);
    else
        stop();
    return recorder_on;
}

/* So many slots in a row, or NULL. */
static struct tape_slot *take(size_t count)
{
    if (unlikely((size_t)(end - next) < count) && !next_window())
        return NULL;
    struct tape_slot *slots = next;
    next += count;
    return slots;
}

static void put(enum tape_op op, unsigned how, uint32_t thread, uint64_t a, uint64_t b, uint64_t c)
{
    struct tape_slot *s = take(1);
    if (unlikely(s == NULL))
        return;
    s->how = (uint8_t)how;
    s->thread = thread;
    s->a = a;
    s->b = b;
    s->c = c;
    store_release(&s->op, (uint8_t)op);
}

/* --- stacks --- */

static cold_path void tell_stack(uint32_t node)
{
    uintptr_t pc[TAPE_MOST_FRAMES];
    size_t count = stack_of_program(node, pc, TAPE_MOST_FRAMES);
    struct tape_slot *s = take(1 + (count + TAPE_PER_SLOT - 1) / TAPE_PER_SLOT);
    if (s == NULL)
        return;
    __builtin_memcpy(s + 1, pc, count * sizeof *pc);
    s->a = node;
    s->b = count;
    store_release(&s->op, (uint8_t)TAPE_STACK);
    told = mem_reserve(events_mem, told, 1, &told_capacity, node + 1);
    told[node] = true;
}

static uint32_t known_node(struct thread *t)
{
    uint32_t node = stack_node(t);
    if (unlikely(node >= told_capacity || !told[node]))
        tell_stack(node);
    return node;
}

/* --- accesses and memory --- */

static void put_access(const struct thread *t, const struct race_access_live *a, unsigned how, uint32_t node,
                       uintptr_t from, uintptr_t to)
{
    while (from < to) {
        size_t size = min_size(to - from, LONGEST_ACCESS);
        put(TAPE_ACCESS, how, t->id, from, a->pc, (uint64_t)size << 32 | node);
        from += size;
    }
}

/* Programs name an object by its first byte: what is behind a benign byte, in the same 8, is benign with it. */
static uintptr_t first_benign(uintptr_t from, uintptr_t to)
{
    while (from < to && !annotations_benign(from))
        from++;
    return from;
}

void recorder_access(struct thread *t, const struct race_access_live *a, bool known_only)
{
    uint32_t node = known_node(t);
    unsigned how = (unsigned)a->kind | (known_only ? TAPE_KNOWN_ONLY : 0);
    uintptr_t from = a->address, to = a->address + a->size;
    if (likely(annotations_benign_count() == 0)) {
        put_access(t, a, how, node, from, to);
        return;
    }
    for (uintptr_t stop; from < to; from = stop) {
        stop = (from | 7) + 1 < to ? (from | 7) + 1 : to;
        put_access(t, a, how, node, from, first_benign(from, stop));
    }
}

void recorder_compare(struct thread *t, const struct race_access_live *a)
{
    if (!annotations_benign(a->address))
        put(TAPE_COMPARE, 0, t->id, a->address, a->pc, known_node(t));
}

void recorder_clear(uintptr_t address, size_t size)
{
    put(TAPE_CLEAR, 0, 0, address, size, 0);
}

void recorder_move(uintptr_t from, uintptr_t to, size_t size)
{
    put(TAPE_MOVE, 0, 0, from, to, size);
}

/* A module whose accesses we shall see has been loaded (runtime/init.h). */
void host_loaded(void)
{
    if (!recorder_on)
        return;
    struct thread *t = thread_current();
    t->inside++;
    channel_tape(WIRE_TAPE_MODULES, NULL);
    thread_outside(t);
}

/* --- processes --- */

void recorder_forking(void)
{
    if (windows != NULL)
        sys_unmap(windows, TAPE_WINDOWS * TAPE_WINDOW * sizeof *windows);
    windows = NULL;
    mem_free(events_mem, told, told_capacity);
    told = NULL;
    told_capacity = 0;
    stop();
}

void recorder_forked(void)
{
    if (owner == 0 || owner == process())
        return;
    recorder_forking();
    start();
}

/* --- synchronization: as a detector --- */

static void on_event(const struct event *e)
{
    switch (e->op) {
    case OP_BARRIER_IN:
        put(TAPE_POST, 0, e->thread, e->target, 0, 0);
        break;
    case OP_BARRIER_OUT:
        put(e->flags & EVENT_NOBODY ? TAPE_DROP : TAPE_LEARN, 0, e->thread, e->target, 0, 0);
        break;
    default:
        if (!(e->flags & EVENT_NOBODY))
            put(TAPE_SYNC, e->op, e->thread, e->target, 0, 0);
    }
}

static void block(void *self, const struct event *events, size_t count, uint64_t first)
{
    (void)self, (void)first;
    for (size_t i = 0; i < count && recorder_on; i++)
        on_event(&events[i]);
}

static void *create(struct host *host)
{
    (void)host;
    start();
    return NULL;
}

static void extend(void *self)
{
    (void)self;
}

/* It knows no variables. */
static void copy(void *self, uint32_t from, uint32_t to)
{
    (void)self, (void)from, (void)to;
}

static const struct detector recorder = {.name = "record",
                                         .source = "-",
                                         .promise = "keeps the execution",
                                         .precise = true,
                                         .create = create,
                                         .extend = extend,
                                         .block = block,
                                         .copy = copy};

const struct detector *recorder_named(const char *name)
{
    recorder_repeats = __builtin_strcmp(name, "record_all") == 0;
    return recorder_repeats || __builtin_strcmp(name, "record") == 0 ? &recorder : NULL;
}
