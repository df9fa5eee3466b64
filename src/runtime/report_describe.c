/* The parts of a race that is being reported, in words: __tsan_describe_*(), the lines that stand above the
 * stacks in a report. Names of variables are not known inside the program. */
#include "base/out.h"
#include "report/raw.h"
#include "runtime/thread.h"

#define ENTRY __attribute__((visibility("default")))

static const char *const current_word[] = {"  Read", "  Write", "  Atomic read", "  Atomic write"};
static const char *const previous_word[] = {"  Previous read", "  Previous write", "  Previous atomic read",
                                            "  Previous atomic write"};

/* A line goes nowhere but into the caller's memory: as much as there is room for, and a zero. */
static void give(const struct out *line, char *to, size_t room)
{
    if (room == 0)
        return;
    size_t length = min_size(line->length, room - 1);
    for (size_t i = 0; i < length; i++)
        to[i] = line->text[i];
    to[length] = '\0';
}

static void put_thread(struct out *out, uint64_t id)
{
    if (id == WIRE_NO_THREAD) {
        out_text(out, "a thread that is not known any more");
    } else if (id == 0) {
        out_text(out, "main thread");
    } else {
        out_text(out, "thread T");
        out_number(out, id);
    }
}

static void put_place(struct out *out, uint64_t size, uint64_t address)
{
    out_text(out, " of size ");
    out_number(out, size);
    out_text(out, " at ");
    out_hex(out, address);
}

/* Each returns whether a stack belongs below the line. */

ENTRY int __tsan_describe_mop(void *report, size_t index, char *to, size_t room);
ENTRY int __tsan_describe_mop(void *report, size_t index, char *to, size_t room)
{
    const struct raw_race *r = report;
    const struct raw_access *a = index == 0 ? &r->current : &r->earlier;
    struct out line = {.fd = -1};
    if (index <= 1) {
        out_text(&line, (index == 0 ? current_word : previous_word)[a->kind % array_length(current_word)]);
        put_place(&line, a->size, a->address);
        out_text(&line, " by ");
        put_thread(&line, a->thread);
    }
    give(&line, to, room);
    return index <= 1 && a->stack.count > 0;
}

ENTRY int __tsan_describe_loc(void *report, size_t index, char *to, size_t room);
ENTRY int __tsan_describe_loc(void *report, size_t index, char *to, size_t room)
{
    const struct raw_location *l = &((const struct raw_race *)report)->location;
    bool heap = l->kind == WIRE_HEAP || l->kind == WIRE_FREED_HEAP;
    struct out line = {.fd = -1};
    if (index > 0) {
        /* there is one */
    } else if (heap) {
        out_text(&line, "  Location is heap block");
        put_place(&line, l->size, l->address);
        out_text(&line, " allocated by ");
        put_thread(&line, l->thread);
    } else if (l->kind == WIRE_STACK || l->kind == WIRE_TLS) {
        out_text(&line, l->kind == WIRE_STACK ? "  Location is stack of " : "  Location is TLS of ");
        put_thread(&line, l->thread);
    } else if (l->kind == WIRE_DESCRIPTOR) {
        out_text(&line, "  Location is file descriptor ");
        out_number(&line, l->address);
        out_text(&line, " created by ");
        put_thread(&line, l->thread);
        out_text(&line, " at:");
    } else {
        out_text(&line, "  Location is global");
        put_place(&line, l->size, l->address);
    }
    give(&line, to, room);
    return index == 0 && (heap || l->kind == WIRE_DESCRIPTOR);
}

ENTRY int __tsan_describe_mutex(void *report, size_t index, char *to, size_t room);
ENTRY int __tsan_describe_mutex(void *report, size_t index, char *to, size_t room)
{
    const struct raw_race *r = report;
    struct out line = {.fd = -1};
    if (index < r->mutex_count) {
        out_text(&line, "  Mutex M");
        out_number(&line, index + 1);
        out_text(&line, " (");
        out_hex(&line, r->mutex[index].address);
        out_text(&line, ") created at:");
    }
    give(&line, to, room);
    return index < r->mutex_count && r->mutex[index].stack.count > 0;
}

ENTRY int __tsan_describe_thread(void *report, size_t index, char *to, size_t room);
ENTRY int __tsan_describe_thread(void *report, size_t index, char *to, size_t room)
{
    const struct raw_race *r = report;
    const struct raw_thread *t = index < r->thread_count ? &r->thread[index] : NULL;
    struct out line = {.fd = -1};
    if (t != NULL) {
        out_text(&line, "  Thread T");
        out_number(&line, t->id);
        if (t->name.length > 0) {
            out_text(&line, " '");
            out_bytes(&line, t->name.text, t->name.length);
            out_text(&line, "'");
        }
        out_text(&line, " (tid=");
        out_number(&line, t->kernel_id);
        out_text(&line, t->flags & WIRE_THREAD_RUNNING ? ", running)" : ", finished)");
    }
    if (t != NULL && t->id != 0) {
        out_text(&line, " created by ");
        put_thread(&line, t->creator);
        out_text(&line, " at:");
    }
    give(&line, to, room);
    return t != NULL && t->id != 0;
}
