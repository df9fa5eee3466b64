/* <sanitizer/common_interface_defs.h> and its relatives: what programs ask of any sanitizer. What is about
 * memory, we answer from the heap's book; what is about another sanitizer's inner life says that there is
 * nothing. */
#include "base/out.h"
#include "runtime/end.h"
#include "runtime/heap.h"
#include "runtime/intercept/caller.h"
#include "runtime/maps.h"
#include "runtime/options.h"
#include "runtime/report.h"
#include "runtime/stack.h"

#define ENTRY __attribute__((visibility("default")))

/* --- where reports go --- */

/* Reports from now on; `photofinish run` keeps writing where it was told to. */
ENTRY void __sanitizer_set_report_path(const char *path);
ENTRY void __sanitizer_set_report_path(const char *path)
{
    char *to = runtime_options.log_path;
    size_t i = 0;
    for (; path != NULL && path[i] != '\0' && i + 1 < sizeof runtime_options.log_path; i++)
        to[i] = path[i];
    to[i] = '\0';
    report_settings_changed();
}

ENTRY void __sanitizer_set_report_fd(void *fd);
ENTRY void __sanitizer_set_report_fd(void *fd)
{
    runtime_options.log_path[0] = '\0';
    report_to_descriptor((int)(uintptr_t)fd);
    report_settings_changed();
}

ENTRY const char *__sanitizer_get_report_path(void);
ENTRY const char *__sanitizer_get_report_path(void)
{
    return runtime_options.log_path;
}

ENTRY void __sanitizer_report_error_summary(const char *summary);
ENTRY void __sanitizer_report_error_summary(const char *summary)
{
    struct out out = {.fd = 2};
    out_text(&out, summary);
    out_text(&out, "\n");
    out_flush(&out);
}

/* Called before the program is ended because of a race. */
ENTRY void __sanitizer_set_death_callback(void (*callback)(void));
ENTRY void __sanitizer_set_death_callback(void (*callback)(void))
{
    store_release(&end_callback, callback);
}

/* The first to ask may report a crash. */
ENTRY int __sanitizer_acquire_crash_state(void);
ENTRY int __sanitizer_acquire_crash_state(void)
{
    static int taken;
    return exchange_acq_rel(&taken, 1) == 0;
}

/* --- places --- */

struct place {
    uintptr_t pc;
    char *path;
    size_t room;
    uintptr_t offset;
    bool found;
};

static bool find_place(void *context, const struct image *image)
{
    struct place *p = context;
    if (p->pc < image->from || p->pc >= image->to)
        return true;
    size_t i = 0;
    for (; image->path[i] != '\0' && i + 1 < p->room; i++)
        p->path[i] = image->path[i];
    if (p->room > 0)
        p->path[i] = '\0';
    p->offset = p->pc - image->from;
    p->found = true;
    return false;
}

static struct spin
    lock; /* maps.h has one buffer; reports have a lock of their own, but do not run meanwhile */

static bool place_of(struct place *p)
{
    struct thread *t = thread_current();
    t->inside++;
    spin_lock(&lock);
    maps_each_image(find_place, p);
    spin_unlock(&lock);
    thread_outside(t);
    return p->found;
}

ENTRY int __sanitizer_get_module_and_offset_for_pc(void *pc, char *path, size_t room, void **offset);
ENTRY int __sanitizer_get_module_and_offset_for_pc(void *pc, char *path, size_t room, void **offset)
{
    struct place p = {.pc = (uintptr_t)pc, .path = path, .room = room};
    if (!place_of(&p))
        return 0;
    *offset = (void *)p.offset;
    return 1;
}

static void put_frame(struct out *out, size_t number, uintptr_t pc)
{
    char path[512];
    struct place p = {.pc = pc - 1, .path = path, .room = sizeof path};
    bool known = place_of(&p);
    out_text(out, "    #");
    out_number(out, number);
    out_text(out, " ");
    out_hex(out, pc - 1);
    out_text(out, " (");
    out_text(out, known ? path : "<unknown module>");
    if (known) {
        out_text(out, "+");
        out_hex(out, p.offset);
    }
    out_text(out, ")\n");
}

/* Names are for addr2line: the process that knows them is asked for races only. */
ENTRY void __sanitizer_print_stack_trace(void);
ENTRY void __sanitizer_print_stack_trace(void)
{
    struct thread *t = caller();
    uintptr_t frames[32];
    struct out out = {.fd = 2};
    put_frame(&out, 0, CALLER_PC);
    size_t count = t != NULL ? stack_unwind(stack_node(t), frames, array_length(frames)) : 0;
    for (size_t i = 0; i < count; i++)
        put_frame(&out, i + 1, frames[i]);
    out_text(&out, "\n");
    out_flush(&out);
}

static void symbolize(void *address, char *text, size_t room)
{
    char path[512];
    struct place p = {.pc = (uintptr_t)address, .path = path, .room = sizeof path};
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    if (room == 0)
        return;
    if (place_of(&p)) {
        for (const char *at = "("; *at != '\0' && used + 1 < room; at++)
            text[used++] = *at;
        for (const char *at = path; *at != '\0' && used + 1 < room; at++)
            text[used++] = *at;
        for (const char *at = "+0x"; *at != '\0' && used + 1 < room; at++)
            text[used++] = *at;
        int shift = 60;
        while (shift > 0 && p.offset >> shift == 0)
            shift -= 4;
        for (; shift >= 0 && used + 1 < room; shift -= 4)
            text[used++] = digits[p.offset >> shift & 15];
        if (used + 1 < room)
            text[used++] = ')';
    }
    text[used] = '\0';
}

ENTRY void __sanitizer_symbolize_pc(void *pc, const char *format, char *text, size_t room);
ENTRY void __sanitizer_symbolize_pc(void *pc, const char *format, char *text, size_t room)
{
    (void)format;
    symbolize(pc, text, room);
}

ENTRY void __sanitizer_symbolize_global(void *address, const char *format, char *text, size_t room);
ENTRY void __sanitizer_symbolize_global(void *address, const char *format, char *text, size_t room)
{
    (void)format;
    symbolize(address, text, room);
}

/* --- the heap, which is the program's own allocator's --- */

static bool block_at(const void *address, struct heap_block *block)
{
    struct thread *t = thread_current();
    t->inside++;
    bool found = heap_containing((uintptr_t)address, block);
    thread_outside(t);
    return found;
}

ENTRY int __sanitizer_get_ownership(const void *address);
ENTRY int __sanitizer_get_ownership(const void *address)
{
    struct heap_block block;
    return block_at(address, &block) && block.address == (uintptr_t)address;
}

ENTRY size_t __sanitizer_get_allocated_size(const void *address);
ENTRY size_t __sanitizer_get_allocated_size(const void *address)
{
    struct heap_block block;
    return block_at(address, &block) && block.address == (uintptr_t)address ? block.size : 0;
}

ENTRY size_t __sanitizer_get_allocated_size_fast(const void *address);
ENTRY size_t __sanitizer_get_allocated_size_fast(const void *address)
{
    return __sanitizer_get_allocated_size(address);
}

/* It is not ours to purge. */
ENTRY void __sanitizer_purge_allocator(void);
ENTRY void __sanitizer_purge_allocator(void)
{
}

ENTRY const void *__sanitizer_get_allocated_begin(const void *address);
ENTRY const void *__sanitizer_get_allocated_begin(const void *address)
{
    struct heap_block block;
    return block_at(address, &block) ? (const void *)block.address : NULL;
}

ENTRY size_t __sanitizer_get_estimated_allocated_size(size_t size);
ENTRY size_t __sanitizer_get_estimated_allocated_size(size_t size)
{
    return size;
}

/* Not counted. */
#define NOTHING(name)                                                                                        \
    ENTRY size_t name(void);                                                                                 \
    ENTRY size_t name(void)                                                                                  \
    {                                                                                                        \
        return 0;                                                                                            \
    }

NOTHING(__sanitizer_get_current_allocated_bytes)
NOTHING(__sanitizer_get_heap_size)
NOTHING(__sanitizer_get_free_bytes)
NOTHING(__sanitizer_get_unmapped_bytes)

/* 0: there is no room for more hooks. */
ENTRY int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                                    void (*freed)(const volatile void *));
ENTRY int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                                    void (*freed)(const volatile void *))
{
    (void)allocated, (void)freed;
    return 0;
}

/* Reports are written by another process, which a sandbox does not keep from its files. */
ENTRY void __sanitizer_sandbox_on_notify(void *arguments);
ENTRY void __sanitizer_sandbox_on_notify(void *arguments)
{
    (void)arguments;
}

/* A program may define it to hear what sanitizers print; what we print is written elsewhere. */
__attribute__((visibility("default"), weak)) void __sanitizer_on_print(const char *text);
__attribute__((visibility("default"), weak)) void __sanitizer_on_print(const char *text)
{
    (void)text;
}

/* --- accesses that may be unaligned --- */

#define UNALIGNED(bits)                                                                                      \
    ENTRY uint##bits##_t __sanitizer_unaligned_load##bits(const void *from);                                 \
    ENTRY uint##bits##_t __sanitizer_unaligned_load##bits(const void *from)                                  \
    {                                                                                                        \
        uint##bits##_t value;                                                                                \
        access_slow((uintptr_t)from, sizeof value, PLAIN_READ, CALLER_PC);                                   \
        __builtin_memcpy(&value, from, sizeof value);                                                        \
        return value;                                                                                        \
    }                                                                                                        \
    ENTRY void __sanitizer_unaligned_store##bits(void *to, uint##bits##_t value);                            \
    ENTRY void __sanitizer_unaligned_store##bits(void *to, uint##bits##_t value)                             \
    {                                                                                                        \
        access_slow((uintptr_t)to, sizeof value, PLAIN_WRITE, CALLER_PC);                                    \
        __builtin_memcpy(to, &value, sizeof value);                                                          \
    }

UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)
