#include "runtime/location.h"

#include <link.h>

#include "runtime/heap.h"
#include "runtime/maps.h"

/* A thread's control block lies at its handle: thread-local variables of the program and its libraries end
 * there, libc's own data of the thread follows. Its stack, when libc allocated it, lies below, in the same
 * mapping. */
static size_t tls_bytes;
enum { CONTROL_BLOCK_BYTES = 4096, MOST_TLS = 1 << 20 };

/* A library that was loaded at start has its variables as far below the control block in every thread. */
static int look_at_tls(struct dl_phdr_info *info, size_t size, void *self)
{
    size_t distance = (uintptr_t)self - (uintptr_t)info->dlpi_tls_data;
    if (size >= sizeof *info && info->dlpi_tls_data != NULL && distance < MOST_TLS && distance > tls_bytes)
        tls_bytes = distance;
    return 0;
}

void location_init(void)
{
    dl_iterate_phdr(look_at_tls, (void *)thread_current()->handle);
}

static void set_block(struct location *l, const struct heap_block *block)
{
    l->kind = WIRE_HEAP;
    l->address = block->address;
    l->size = block->size;
    l->node = block->node;
    l->thread_id = block->thread;
}

static bool in_heap(uintptr_t address, struct location *l)
{
    struct heap_block block;
    if (!heap_containing(address, &block))
        return false;
    set_block(l, &block);
    return true;
}

bool location_freed(uintptr_t address, bool exactly, struct location *l)
{
    struct heap_ended freed;
    if (!heap_ended(address, exactly, &freed))
        return false;
    set_block(l, &freed.block);
    l->kind = WIRE_FREED_HEAP;
    l->freed_by = freed.end.thread;
    l->free_pc = freed.end.pc;
    l->free_node = freed.end.node;
    return true;
}

static bool in_tls(uintptr_t address, struct location *l)
{
    for (const struct thread *t = thread_first(); t != NULL; t = t->next)
        if (t->running && address < t->handle + CONTROL_BLOCK_BYTES && address >= t->handle - tls_bytes) {
            l->kind = WIRE_TLS;
            l->thread = t;
            return true;
        }
    return false;
}

struct search {
    uintptr_t address;
    uintptr_t to;
    bool anonymous, main_stack;
};

static bool is_around(void *context, const struct mapping *m)
{
    struct search *s = context;
    if (s->address >= m->to)
        return true;
    if (s->address >= m->from) {
        s->to = m->to;
        s->anonymous = m->path[0] == '\0';
        s->main_stack = m->path[0] == '[' && m->path[1] == 's' && m->path[2] == 't';
    }
    return false;
}

/* The stack that an address is in ends at the nearest control block above it in the same mapping. */
static bool in_stack(uintptr_t address, struct location *l)
{
    struct search s = {.address = address};
    const struct thread *owner = NULL;
    maps_each(is_around, &s);
    if (!s.anonymous && !s.main_stack)
        return false;
    for (const struct thread *t = thread_first(); t != NULL; t = t->next) {
        if (s.main_stack && t->id == 0)
            owner = t;
        else if (s.anonymous && t->id != 0 && t->handle > address && t->handle < s.to &&
                 (owner == NULL || t->handle < owner->handle || (t->handle == owner->handle && t->running)))
            owner = t;
    }
    if (owner == NULL)
        return false;
    l->kind = WIRE_STACK;
    l->thread = owner;
    return true;
}

static bool note_mapping(void *context, const struct mapping *m)
{
    struct location *l = context;
    if (l->address < m->from || l->address >= m->to)
        return l->address >= m->to;
    l->map_from = m->from;
    l->map_to = m->to;
    for (size_t i = 0; m->path[i] != '\0' && i + 1 < sizeof l->map_path; i++)
        l->map_path[i] = m->path[i];
    return false;
}

void location_find(uintptr_t address, struct location *l)
{
    *l = (struct location){.kind = WIRE_OTHER_MEMORY,
                           .address = address,
                           .thread_id = WIRE_NO_THREAD,
                           .freed_by = WIRE_NO_THREAD};
    if (descriptor_at != NULL && descriptor_at(address, l))
        return;
    if (!in_heap(address, l) && !in_tls(address, l) && !in_stack(address, l))
        location_freed(address, false, l);
    if (l->kind == WIRE_OTHER_MEMORY)
        maps_each(note_mapping, l);
    if (l->thread != NULL)
        l->thread_id = l->thread->id;
}
