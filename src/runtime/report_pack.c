/* A race as a message (report/wire.h). */
#include "runtime/report_data.h"

#include "runtime/ended_threads.h"
#include "runtime/heap.h"
#include "runtime/intercept/caller.h"
#include "runtime/intercept/held.h"
#include "runtime/maps.h"
#include "runtime/report_sync.h"
#include "runtime/signals.h"
#include "runtime/stack.h"
#include "runtime/task.h"

enum { NUMBERS = WIRE_MOST_BYTES / 8, MOST_PLACES = 8192, MOST_MUTEXES = WIRE_MOST_LOCKS };

static union {
    struct wire_header header;
    uint64_t number[NUMBERS];
} message;
static size_t used; /* numbers */

/* Addresses whose modules the reader must know. */
static uintptr_t places[MOST_PLACES];
static size_t place_count;

_Static_assert((int)PLAIN_READ == WIRE_READ && (int)PLAIN_WRITE == WIRE_WRITE &&
                   (int)ATOMIC_READ == WIRE_ATOMIC_READ && (int)ATOMIC_WRITE == WIRE_ATOMIC_WRITE,
               "kinds are sent as they are");
_Static_assert((int)HEAP_FREE == WIRE_FREE && (int)HEAP_REALLOC == WIRE_REALLOC &&
                   (int)HEAP_DELETE == WIRE_DELETE && (int)HEAP_DELETE_ARRAY == WIRE_DELETE_ARRAY,
               "so are the ways to free");

/* The parts have bounds of their own; only modules, which come last, can fill the message up. */
static void put(uint64_t number)
{
    if (likely(used < NUMBERS))
        message.number[used++] = number;
}

static void put_text(const char *text, size_t most)
{
    size_t length = 0;
    while (length < most && text[length] != '\0')
        length++;
    put(length);
    for (size_t at = 0; at < length; at += 8) {
        uint64_t number = 0;
        for (size_t i = 0; i < 8 && at + i < length; i++)
            number |= (uint64_t)(unsigned char)text[at + i] << 8 * i;
        put(number);
    }
}

static void note_place(uintptr_t address)
{
    if (place_count < MOST_PLACES)
        places[place_count++] = address;
}

/* The calls of a node, under the innermost return address `pc` (0: none besides the node's). */
static void put_stack(uintptr_t pc, uint32_t node)
{
    static uintptr_t frames[WIRE_MOST_FRAMES + 1];
    size_t first = pc != 0;
    frames[0] = pc;
    size_t count = first + stack_with_marks(node, frames + first, array_length(frames) - first);
    bool cut = count > WIRE_MOST_FRAMES;
    count = cut ? WIRE_MOST_FRAMES : count;
    put((count > 0 ? WIRE_STACK_KNOWN : 0) | (cut ? WIRE_STACK_CUT : 0));
    put(count);
    for (size_t i = 0; i < count; i++) {
        put(frames[i]);
        note_place(frames[i] - 1);
    }
}

static void put_no_stack(void)
{
    put(0);
    put(0);
}

/* --- accesses --- */

/* Flags of an access that is a free: by which function. */
static uint64_t free_flags(bool is_free, uintptr_t block)
{
    struct heap_ended ended;
    if (!is_free)
        return 0;
    bool known = heap_ended(block, true, &ended);
    return WIRE_ACCESS_FREE | (known ? (uint64_t)ended.end.way << WIRE_ACCESS_WAY : 0);
}

static uint64_t handler_flag(uint32_t node)
{
    return signal_in_handler != NULL && signal_in_handler(node) ? WIRE_ACCESS_HANDLER : 0;
}

/* Locks whose creation is told further down. */
static uintptr_t mutexes[2 * MOST_MUTEXES];
static size_t mutex_count;

static void note_mutex(uintptr_t mutex)
{
    for (size_t i = 0; i < mutex_count; i++)
        if (mutexes[i] == mutex)
            return;
    if (mutex_count < array_length(mutexes))
        mutexes[mutex_count++] = mutex;
}

static uint64_t cut_flag(size_t held)
{
    return held > WIRE_MOST_LOCKS ? WIRE_ACCESS_LOCKS_CUT : 0;
}

static void put_locks(const uintptr_t *held, size_t count)
{
    count = min_size(count, WIRE_MOST_LOCKS);
    put(count);
    for (size_t i = 0; i < count; i++) {
        put(held_lock(held[i]));
        put(held_mode(held[i]) == HELD_READING ? WIRE_LOCK_READ : 0);
        note_mutex(held_lock(held[i]));
    }
}

static void put_current(const struct report_data *d)
{
    const struct race_access_live *a = d->current;
    const struct thread *t = d->thread;
    put(a->kind);
    put(free_flags(a->is_free, a->address) | WIRE_ACCESS_LOCKS_KNOWN | cut_flag(t->held_count) |
        handler_flag(d->node));
    put(a->size);
    put(a->address);
    put(t->id);
    put_stack(a->pc, d->node);
    put_locks(t->held, t->held_count);
    put(0);
    put_no_stack();
}

/* Where the stack is lost: the last lock that the thread had given up by then, if that is known. */
static void put_released_before(const struct report_data *d)
{
    struct held_change change;
    if (d->known || d->earlier == NULL ||
        !held_released_before(d->earlier, d->found->conflict.earlier, &change)) {
        put(0);
        put_no_stack();
        return;
    }
    put(held_lock(change.what));
    put_stack(change.pc, change.node);
    note_mutex(held_lock(change.what));
}

static void put_earlier(const struct report_data *d)
{
    put(d->found->conflict.kind);
    static uintptr_t held[8 * WIRE_MOST_LOCKS]; /* under the report's lock */
    int count = d->known && d->site.held_known
                    ? held_then(d->earlier, d->site.held_changes, held, array_length(held))
                    : -1;
    put(free_flags(d->known && d->site.is_free, d->site.address) |
        (count >= 0 ? WIRE_ACCESS_LOCKS_KNOWN | cut_flag((size_t)count) : 0) |
        (d->known ? handler_flag(d->site.node) : 0));
    put(report_earlier_size(d));
    put(report_earlier_address(d));
    put(d->earlier != NULL ? d->earlier->id : WIRE_NO_THREAD);
    if (d->known)
        put_stack(d->site.pc, d->site.node);
    else
        put_no_stack();
    put_locks(held, count >= 0 ? (size_t)count : 0);
    put_released_before(d);
}

static void put_location(const struct location *l)
{
    put(l->kind);
    put(l->address);
    put(l->size);
    put(l->thread_id);
    put_stack(0, l->node);
    put(l->freed_by);
    put_stack(l->free_pc, l->free_node);
    put(l->map_from);
    put(l->map_to);
    put_text(l->map_path, sizeof l->map_path);
    note_place(l->address);
}

static void put_block(const struct report_data *d)
{
    struct heap_block block = {.size = 0};
    bool found = d->pointer != 0 && heap_containing(d->pointer, &block) && block.thread == d->earlier->id;
    put(found ? block.address : 0);
    put(found ? block.size : 0);
}

/* --- threads --- */

static void read_name(int kernel_id, char name[16])
{
    memset(name, 0, 16); /* names are compared as a whole */
    size_t length = task_read(kernel_id, "comm", name, 16);
    if (length > 0 && name[length - 1] == '\n')
        name[length - 1] = '\0';
}

/* A name that the thread was given in a way we have not seen: the kernel's, unless it is just the program's.
 */
static const char *thread_name(const struct thread *t)
{
    static char name[16], program[16];
    if (t->name[0] != '\0' || !t->running || t->id == 0)
        return t->name;
    read_name(t->kernel_id, name);
    read_name((int)sys_call3(SYS_getpid, 0, 0, 0), program);
    for (size_t i = 0; i < sizeof name; i++)
        if (name[i] != program[i])
            return name;
    return "";
}

static uint64_t thread_flags(const struct thread *t)
{
    uint64_t end = t->joined ? WIRE_THREAD_JOINED : t->detached ? WIRE_THREAD_DETACHED : 0;
    return end | (t->running ? WIRE_THREAD_RUNNING : 0);
}

static void put_thread(uint64_t id, uint64_t kernel_id, uint64_t flags, uint64_t creator, const char *name,
                       uint32_t creation_node)
{
    put(id);
    put(kernel_id);
    put(flags);
    put(creator);
    put_text(name, sizeof((struct thread *)0)->name);
    if (creation_node != 0)
        put_stack(0, creation_node);
    else
        put_no_stack();
}

static const struct thread *known_thread(const struct report_data *d, uint64_t id)
{
    if (id == d->thread->id)
        return d->thread;
    if (d->earlier != NULL && id == d->earlier->id)
        return d->earlier;
    const struct thread *t = thread_first();
    while (t != NULL && t->id != id)
        t = t->next;
    return t;
}

/* Of a thread that ended very long ago, nothing but the number is known. */
static void put_thread_of_id(const struct report_data *d, uint64_t id)
{
    struct ended_thread ended;
    const struct thread *t = known_thread(d, id);
    if (t != NULL)
        put_thread(id, (uint64_t)t->kernel_id, thread_flags(t), t->creator, thread_name(t), t->creation_node);
    else if (ended_threads_find((uint32_t)id, &ended))
        put_thread(id, ended.kernel_id, ended.joined ? WIRE_THREAD_JOINED : WIRE_THREAD_DETACHED,
                   ended.creator, ended.name, ended.creation_node);
    else
        put_thread(id, 0, 0, WIRE_NO_THREAD, "", 0);
}

static void put_threads(const struct report_data *d)
{
    const uint64_t all[] = {d->thread->id, d->earlier != NULL ? d->earlier->id : WIRE_NO_THREAD,
                            d->location.thread_id, d->location.freed_by};
    size_t count_at = used, count = 0;
    put(0);
    for (size_t i = 0; i < array_length(all); i++) {
        bool again = all[i] == WIRE_NO_THREAD;
        for (size_t k = 0; k < i && !again; k++)
            again = all[k] == all[i];
        if (again)
            continue;
        put_thread_of_id(d, all[i]);
        count++;
    }
    message.number[count_at] = count;
}

/* --- what might have ordered them --- */

_Static_assert((int)SYNC_LOCK == WIRE_LOCK && (int)SYNC_ATOMIC == WIRE_ATOMIC &&
                   (int)SYNC_SEMAPHORE == WIRE_SEMAPHORE && (int)SYNC_BARRIER == WIRE_BARRIER &&
                   (int)SYNC_ONCE == WIRE_ONCE && (int)SYNC_KERNEL == WIRE_KERNEL &&
                   (int)SYNC_THREAD == WIRE_THREAD && (int)SYNC_FENCE == WIRE_FENCE &&
                   (int)SYNC_ANNOTATED == WIRE_ANNOTATED,
               "kinds are sent as they are");

static void put_sync(const struct report_sync *s)
{
    const struct past_sync *e = &s->what;
    put((e->acquires ? WIRE_SYNC_ACQUIRES : 0) | (e->releases ? WIRE_SYNC_RELEASES : 0) |
        (e->writes ? WIRE_SYNC_WRITES : 0) | (e->shared ? WIRE_SYNC_SHARED : 0) |
        (s->second ? WIRE_SYNC_SECOND : 0) | (s->after ? WIRE_SYNC_AFTER : 0) |
        (s->reached ? WIRE_SYNC_REACHED : 0));
    put(e->kind);
    put(e->object);
    if (e->pc != 0)
        put_stack(e->pc, e->node);
    else
        put_no_stack();
    if (e->kind != SYNC_THREAD)
        note_place(e->object);
}

static void put_syncs(const struct report_data *d)
{
    struct report_syncs found;
    report_sync_find(d, &found);
    put(found.flags);
    put(found.count);
    for (size_t i = 0; i < found.count; i++)
        put_sync(&found.event[i]);
}

/* --- mutexes and modules --- */

static void put_mutexes(void)
{
    put(mutex_count);
    for (size_t i = 0; i < mutex_count; i++) {
        uint32_t node;
        uintptr_t mutex = mutexes[i];
        put(mutex);
        note_place(mutex);
        if (used < NUMBERS / 2 && mutex_created_at != NULL && mutex_created_at(mutex, &node))
            put_stack(0, node);
        else
            put_no_stack();
    }
}

struct modules {
    uint64_t count;
    bool wanted; /* those with addresses of the race; otherwise the others */
};

static bool is_wanted(const struct image *image)
{
    for (size_t i = 0; i < place_count; i++)
        if (places[i] >= image->from && places[i] < image->to)
            return true;
    return false;
}

/* Of those that were unloaded only instrumented ones are remembered. */
static bool is_seen(const struct image *image)
{
    return image->unloaded || caller_module(image->code) != NULL;
}

static bool put_image(void *context, const struct image *image)
{
    struct modules *m = context;
    size_t room = NUMBERS - used;
    if (is_wanted(image) != m->wanted || room < 8 + sizeof image->path / 8)
        return true;
    put(image->from);
    put(image->to);
    put(image->code);
    put(image->offset);
    put(is_seen(image) ? WIRE_MODULE_SEEN : 0);
    put_text(image->path, sizeof image->path);
    m->count++;
    return true;
}

static void put_modules(void)
{
    struct modules m = {.wanted = true};
    size_t count_at = used;
    put(0);
    maps_each_image(put_image, &m);
    m.wanted = false;
    maps_each_image(put_image, &m);
    message.number[count_at] = m.count;
}

struct wire_header *report_pack(const struct report_data *d, size_t *length)
{
    used = sizeof message.header / 8;
    place_count = 0;
    mutex_count = 0;
    put_current(d);
    put_earlier(d);
    put_location(&d->location);
    put_block(d);
    put_threads(d);
    put_syncs(d);
    put_mutexes();
    put_modules();
    message.header.kind = WIRE_RACE;
    *length = used * 8;
    return &message.header;
}

/* What comes before the mutexes takes less than half of the message: 5 stacks and those of 5 threads, and of
 * what might have ordered the accesses. */
_Static_assert((5 + 5 + WIRE_MOST_SYNC) * (WIRE_MOST_FRAMES + 16) + 4 * MOST_MUTEXES < NUMBERS / 2, "");
