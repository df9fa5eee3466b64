/* A race as text without names: for programs that cannot start a helper. addr2line says what the offsets
 * mean. Programs with rights that their caller lacks do not even have those (runtime/secure.h). */
#include "base/out.h"
#include "runtime/channel.h"
#include "runtime/maps.h"
#include "runtime/report_data.h"
#include "runtime/secure.h"
#include "runtime/stack.h"

static const char *const current_word[] = {"Read", "Write", "Atomic read", "Atomic write"};
static const char *const previous_word[] = {"read", "write", "atomic read", "atomic write"};

static void put_thread(struct out *out, const struct thread *t)
{
    if (t == NULL) {
        out_text(out, "a thread that is not known any more");
    } else if (t->id == 0) {
        out_text(out, "main thread");
    } else {
        out_text(out, "thread T");
        out_number(out, t->id);
    }
}

struct place {
    struct out *out;
    uintptr_t address;
    bool found;
};

static bool put_place(void *context, const struct image *image)
{
    struct place *p = context;
    if (p->address < image->from || p->address >= image->to)
        return true;
    out_text(p->out, "(");
    out_text(p->out, image->path);
    out_text(p->out, "+");
    out_hex(p->out, p->address - image->from);
    out_text(p->out, ")\n");
    p->found = true;
    return false;
}

static void put_frame(struct out *out, size_t number, uintptr_t pc)
{
    struct place place = {out, pc - 1, false}; /* inside the call, not after it */
    out_text(out, "    #");
    out_number(out, number);
    out_text(out, " <null> <null> ");
    maps_each_image(put_place, &place);
    if (!place.found) {
        out_text(out, "(");
        out_hex(out, place.address);
        out_text(out, ")\n");
    }
}

static void put_stack(struct out *out, uintptr_t pc, uint32_t node)
{
    static uintptr_t frames[WIRE_MOST_FRAMES];
    size_t count = stack_with_marks(node, frames, array_length(frames)), number = 0;
    if (pc != 0)
        put_frame(out, number++, pc);
    for (size_t i = 0; i < count; i++)
        if (frames[i] < WIRE_MARKS)
            out_text(out, "    [registered at]\n");
        else
            put_frame(out, number++, frames[i]);
    out_text(out, "\n");
}

static void put_access(struct out *out, const char *word, size_t size, uintptr_t address,
                       const struct thread *t)
{
    out_text(out, word);
    if (size > 0) {
        out_text(out, " of size ");
        out_number(out, size);
    }
    if (!secure_mode()) {
        out_text(out, " at ");
        out_hex(out, address);
    }
    out_text(out, " by ");
    put_thread(out, t);
    out_text(out, secure_mode() ? "\n" : ":\n");
}

static void put_creation(struct out *out, const struct thread *t)
{
    if (t == NULL || t->id == 0)
        return;
    out_text(out, "  Thread T");
    out_number(out, t->id);
    out_text(out, " (tid=");
    out_number(out, (uint64_t)t->kernel_id);
    out_text(out, t->running ? ", running) created at:\n" : ", finished) created at:\n");
    put_stack(out, 0, t->creation_node);
}

/* Of the earlier access, and of the threads. */
static void put_stacks(struct out *out, const struct report_data *d)
{
    if (d->known)
        put_stack(out, d->site.pc, d->site.node);
    else
        out_text(out, "    [failed to restore the stack]\n\n");
    put_creation(out, d->thread);
    if (d->earlier != d->thread)
        put_creation(out, d->earlier);
}

bool report_plain(const struct report_data *d, int fd)
{
    static struct out out;
    out.fd = fd;
    out.failed = false;
    channel_put_problem(&out);
    out_text(&out, "==================\nWARNING: Photofinish: data race (pid=");
    out_number(&out, (uint64_t)sys_call3(SYS_getpid, 0, 0, 0));
    out_text(&out, ")\n  ");
    put_access(&out, current_word[d->current->kind], d->current->size, d->current->address, d->thread);
    if (!secure_mode())
        put_stack(&out, d->current->pc, d->node);
    out_text(&out, "  Previous ");
    put_access(&out, previous_word[d->found->conflict.kind], report_earlier_size(d),
               report_earlier_address(d), d->earlier);
    if (!secure_mode())
        put_stacks(&out, d);
    out_text(&out, secure_mode() ? "SUMMARY: Photofinish: data race (details are off)\n"
                                 : "SUMMARY: Photofinish: data race (without names)\n");
    out_text(&out, "==================\n");
    out_flush(&out);
    return !out.failed;
}
