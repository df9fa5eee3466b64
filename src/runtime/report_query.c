#include "runtime/report_query.h"

#include "report/raw.h"
#include "runtime/heap.h"
#include "runtime/stack.h"

#define ENTRY __attribute__((visibility("default")))

/* The program's hook. */
void __tsan_on_report(void *report) __attribute__((weak, visibility("default")));

/* The report that is being shown; under the report's lock, like everything here that looks at it. */
static struct raw_race shown;
static struct thread *shown_to; /* NULL: none */

void report_show(const struct wire_header *message)
{
    if (__tsan_on_report == NULL || !raw_race_unpack(&shown, message))
        return;
    shown_to = thread_self;
    __tsan_on_report(&shown);
    shown_to = NULL;
}

ENTRY void *__tsan_get_current_report(void);
ENTRY void *__tsan_get_current_report(void)
{
    return shown_to != NULL && shown_to == thread_self ? &shown : NULL;
}

/* --- parts of answers --- */

/* As many return addresses as there is room for, then a NULL if there is room. */
static void give_stack(const struct raw_stack *stack, void **trace, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; stack != NULL && i < stack->count && count < room; i++)
        if (stack->pc[i] >= WIRE_MARKS)
            trace[count++] = (void *)(uintptr_t)(stack->pc[i] - 1); /* in the call, not after it */
    if (count < room)
        trace[count] = NULL;
}

static int thread_number(uint64_t id)
{
    return id == WIRE_NO_THREAD ? -1 : (int)id;
}

static const struct raw_access *access_at(const struct raw_race *r, size_t index)
{
    return index == 0 ? &r->current : &r->earlier;
}

static bool has_location(const struct raw_race *r)
{
    return r->location.kind != WIRE_OTHER_MEMORY || r->location.address != 0;
}

/* --- questions; each returns 1, or 0: there is no such part --- */

ENTRY int __tsan_get_report_data(void *report, const char **description, int *count, int *stack_count,
                                 int *access_count, int *location_count, int *mutex_count, int *thread_count,
                                 int *unique_thread_count, void **sleep_trace, size_t trace_size);
ENTRY int __tsan_get_report_data(void *report, const char **description, int *count, int *stack_count,
                                 int *access_count, int *location_count, int *mutex_count, int *thread_count,
                                 int *unique_thread_count, void **sleep_trace, size_t trace_size)
{
    const struct raw_race *r = report;
    *description = "data-race";
    *count = 0; /* of equal reports before it, which are not kept */
    *stack_count = 0;
    *access_count = 2;
    *location_count = has_location(r);
    *mutex_count = (int)r->mutex_count;
    *thread_count = (int)r->thread_count;
    *unique_thread_count = r->current.thread != r->earlier.thread ? 2 : 1;
    give_stack(NULL, sleep_trace, trace_size);
    return 1;
}

ENTRY int __tsan_get_report_tag(void *report, uintptr_t *tag);
ENTRY int __tsan_get_report_tag(void *report, uintptr_t *tag)
{
    (void)report;
    *tag = 0;
    return 1;
}

ENTRY int __tsan_get_report_stack(void *report, size_t index, void **trace, size_t trace_size);
ENTRY int __tsan_get_report_stack(void *report, size_t index, void **trace, size_t trace_size)
{
    (void)report, (void)index;
    give_stack(NULL, trace, trace_size);
    return 0;
}

ENTRY int __tsan_get_report_mop(void *report, size_t index, int *thread, void **address, int *size,
                                int *write, int *atomic, void **trace, size_t trace_size);
ENTRY int __tsan_get_report_mop(void *report, size_t index, int *thread, void **address, int *size,
                                int *write, int *atomic, void **trace, size_t trace_size)
{
    if (index > 1)
        return 0;
    const struct raw_access *a = access_at(report, index);
    *thread = thread_number(a->thread);
    *address = (void *)(uintptr_t)a->address;
    *size = (int)a->size;
    *write = a->kind == WIRE_WRITE || a->kind == WIRE_ATOMIC_WRITE;
    *atomic = a->kind == WIRE_ATOMIC_READ || a->kind == WIRE_ATOMIC_WRITE;
    give_stack(&a->stack, trace, trace_size);
    return 1;
}

static const char *place_name(uint64_t kind)
{
    return kind == WIRE_STACK          ? "stack"
           : kind == WIRE_TLS          ? "tls"
           : kind == WIRE_OTHER_MEMORY ? "global"
           : kind == WIRE_DESCRIPTOR   ? "fd"
                                       : "heap";
}

ENTRY int __tsan_get_report_loc(void *report, size_t index, const char **type, void **address,
                                uintptr_t *start, size_t *size, int *thread, int *descriptor,
                                int *suppressable, void **trace, size_t trace_size);
ENTRY int __tsan_get_report_loc(void *report, size_t index, const char **type, void **address,
                                uintptr_t *start, size_t *size, int *thread, int *descriptor,
                                int *suppressable, void **trace, size_t trace_size)
{
    const struct raw_race *r = report;
    if (index > 0 || !has_location(r))
        return 0;
    *type = place_name(r->location.kind);
    *address = (void *)(uintptr_t)r->current.address;
    *start = (uintptr_t)r->location.address;
    *size = (size_t)r->location.size;
    *thread = thread_number(r->location.thread);
    *descriptor = r->location.kind == WIRE_DESCRIPTOR ? (int)r->location.address : 0;
    *suppressable = 0;
    give_stack(&r->location.stack, trace, trace_size);
    return 1;
}

ENTRY int __tsan_get_report_loc_object_type(void *report, size_t index, const char **type);
ENTRY int __tsan_get_report_loc_object_type(void *report, size_t index, const char **type)
{
    (void)report, (void)index;
    *type = "";
    return 1;
}

ENTRY int __tsan_get_report_mutex(void *report, size_t index, uint64_t *id, void **address, int *destroyed,
                                  void **trace, size_t trace_size);
ENTRY int __tsan_get_report_mutex(void *report, size_t index, uint64_t *id, void **address, int *destroyed,
                                  void **trace, size_t trace_size)
{
    const struct raw_race *r = report;
    if (index >= r->mutex_count)
        return 0;
    *id = index + 1;
    *address = (void *)(uintptr_t)r->mutex[index].address;
    *destroyed = 0;
    give_stack(&r->mutex[index].stack, trace, trace_size);
    return 1;
}

ENTRY int __tsan_get_report_thread(void *report, size_t index, int *thread, uint64_t *kernel_id, int *running,
                                   const char **name, int *creator, void **trace, size_t trace_size);
ENTRY int __tsan_get_report_thread(void *report, size_t index, int *thread, uint64_t *kernel_id, int *running,
                                   const char **name, int *creator, void **trace, size_t trace_size)
{
    const struct raw_race *r = report;
    if (index >= r->thread_count)
        return 0;
    const struct raw_thread *t = &r->thread[index];
    static char kept[RAW_MOST_THREADS][16];
    size_t length = min_size((size_t)t->name.length, sizeof kept[0] - 1);
    for (size_t i = 0; i < length; i++)
        kept[index][i] = t->name.text[i];
    kept[index][length] = '\0';
    *thread = thread_number(t->id);
    *kernel_id = t->kernel_id;
    *running = (t->flags & WIRE_THREAD_RUNNING) != 0;
    *name = kept[index];
    *creator = t->id == 0 ? -1 : thread_number(t->creator);
    give_stack(&t->stack, trace, trace_size);
    return 1;
}

ENTRY int __tsan_get_report_unique_tid(void *report, size_t index, int *thread);
ENTRY int __tsan_get_report_unique_tid(void *report, size_t index, int *thread)
{
    if (index > 1)
        return 0;
    *thread = thread_number(access_at(report, index)->thread);
    return 1;
}

/* --- what a debugger asks about memory; only while a report is shown, or with all threads stopped --- */

ENTRY const char *__tsan_locate_address(uintptr_t address, char *name, size_t name_size, uintptr_t *start,
                                        size_t *size);
ENTRY const char *__tsan_locate_address(uintptr_t address, char *name, size_t name_size, uintptr_t *start,
                                        size_t *size)
{
    struct heap_block block;
    if (name_size > 0)
        name[0] = '\0';
    bool heap = heap_containing(address, &block);
    *start = heap ? block.address : 0;
    *size = heap ? block.size : 0;
    return heap ? "heap" : "";
}

ENTRY int __tsan_get_alloc_stack(uintptr_t address, uintptr_t *trace, size_t room, int *thread,
                                 uint64_t *kernel_id);
ENTRY int __tsan_get_alloc_stack(uintptr_t address, uintptr_t *trace, size_t room, int *thread,
                                 uint64_t *kernel_id)
{
    struct heap_block block;
    if (!heap_containing(address, &block))
        return 0;
    *thread = (int)block.thread;
    *kernel_id = 0;
    for (const struct thread *t = thread_first(); t != NULL; t = t->next)
        if (t->id == block.thread)
            *kernel_id = (uint64_t)t->kernel_id;
    return (int)stack_unwind(block.node, trace, room);
}
