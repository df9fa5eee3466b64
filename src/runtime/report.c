#include "runtime/report.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>

#include "base/out.h"
#include "runtime/access.h"
#include "runtime/channel.h"
#include "runtime/completeness.h"
#include "runtime/end.h"
#include "runtime/init.h"
#include "runtime/options.h"
#include "runtime/peek.h"
#include "runtime/report_data.h"
#include "runtime/report_query.h"
#include "runtime/secure.h"
#include "runtime/signals.h"
#include "runtime/stack.h"

/* --- one report at a time --- */

/* 0, or the process that holds it: after a fork, what another thread held is free in the child. */
static uint32_t holder;

static uint32_t process(void)
{
    return (uint32_t)sys_call3(SYS_getpid, 0, 0, 0);
}

/* Signals are blocked meanwhile: a handler might not come back. */
static uint64_t enter(void)
{
    const uint64_t all = ~signals_needed();
    uint64_t before;
    sys_call6(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&before, sizeof before, 0, 0);
    uint32_t self = process();
    for (;;) {
        uint32_t seen = 0;
        if (cas_acq_rel(&holder, &seen, self) || (seen != self && cas_acq_rel(&holder, &seen, self)))
            return before;
        struct timespec limit = {.tv_nsec = 100000000};
        sys_call6(SYS_futex, (long)&holder, FUTEX_WAIT_PRIVATE, self, (long)&limit, 0, 0);
    }
}

static void leave(uint64_t before)
{
    store_release(&holder, 0);
    sys_call6(SYS_futex, (long)&holder, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    sys_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before, 0, 0);
}

/* --- what was reported already --- */

/* A set of 64-bit keys; only reports add to it. Full: duplicates get through. */
enum { SEEN = 1 << 14 };

static bool seen(uint64_t *table, uint64_t key, bool add)
{
    key |= 1;
    for (size_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 50, tries = 0; tries < SEEN;
         i = (i + 1) % SEEN, tries++) {
        uint64_t there = load_relaxed(&table[i]);
        if (there == key)
            return true;
        if (there != 0)
            continue;
        if (add)
            store_relaxed(&table[i], key);
        return false;
    }
    return false;
}

static uint64_t seen_addresses[SEEN], seen_pairs[SEEN];

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b << 32 ^ b >> 32) * UINT64_C(0xff51afd7ed558ccd);
    return x ^ x >> 29;
}

/* The racing byte; of a heap block or a descriptor also which one it is: the next one here is another. */
static uint64_t address_key(const struct report_data *d)
{
    bool comes_and_goes = d->location.kind == WIRE_HEAP || d->location.kind == WIRE_DESCRIPTOR;
    return mixed(d->found->address, comes_and_goes ? d->location.node : 0);
}

static uint64_t pair_key(const struct report_data *d)
{
    uint64_t a = mixed(d->current->pc, d->node), b = d->known ? mixed(d->site.pc, d->site.node) : 0;
    return a < b ? mixed(a, b) : mixed(b, a);
}

/* A loop over a racy array races on every element, and each time the history is searched for the earlier
 * access. When one place has raced so often with one epoch, it is not searched again. */
enum { FAMILIAR = 1 << 10, OFTEN = 64 };
static struct {
    uint64_t key; /* written by several threads; a mix-up only means a search more or less */
    uint32_t count;
} familiar[FAMILIAR];

static bool is_familiar(const struct report_data *d)
{
    uint64_t key =
        mixed(mixed(d->current->pc, d->node), mixed(d->found->conflict.earlier, d->found->conflict.kind));
    size_t i = key % FAMILIAR;
    if (load_relaxed(&familiar[i].key) != key) {
        store_relaxed(&familiar[i].key, key);
        store_relaxed(&familiar[i].count, 0);
    }
    return add_relaxed(&familiar[i].count, 1) >= OFTEN;
}

/* --- reporting --- */

static struct {
    uint32_t pid;
    uint32_t reported; /* by that process */
    bool unfinished;   /* races were sent, reported or not, and no summary since */
    bool failed;       /* what was sent could not be written where log_path says */
    int exit_code;
} tally;

static void begin_tally(void)
{
    if (tally.pid == process())
        return;
    tally.pid = process();
    tally.reported = 0;
    tally.failed = false;
    tally.exit_code = runtime_options.exitcode;
}

/* The exit status of the process; 0: its own. */
static int tally_status(void)
{
    return tally.failed ? EXIT_TOOL_FAILED : tally.reported > 0 ? tally.exit_code : 0;
}

/* Where the program's own messages go that the options chose for reports. */
static int chosen_descriptor = -1; /* by the program */

static int text_descriptor(void)
{
    if (chosen_descriptor >= 0)
        return chosen_descriptor;
    const char *path = runtime_options.log_path;
    return path[0] == 's' && path[1] == 't' && path[2] == 'd' && path[3] == 'o' ? 1 : 2;
}

void report_to_descriptor(int fd)
{
    chosen_descriptor = fd;
}

void report_settings_changed(void)
{
    uint64_t before = enter();
    channel_close();
    leave(before);
}

static bool same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Nobody writes files for us: what log_path was to have is written elsewhere. */
static void miss_log(int fd)
{
    const char *path = runtime_options.log_path;
    if (secure_mode() || path[0] == '\0' || same(path, "stderr") || same(path, "stdout"))
        return; /* the first never opens a file, and has said so */
    if (!tally.failed) {
        struct out out = {.fd = fd};
        out_text(&out, "photofinish: log_path: ");
        out_text(&out, path);
        out_text(&out, ": not written: there is no helper\n");
        out_flush(&out);
    }
    tally.failed = true;
}

/* True: it was reported, not suppressed. */
static bool tell(const struct report_data *d)
{
    size_t length;
    struct wire_verdict verdict;
    struct wire_header *message = report_pack(d, &length);
    begin_tally();
    tally.unfinished = true;
    if (!channel_ask(message, length, text_descriptor(), &verdict)) {
        miss_log(text_descriptor());
        tally.failed |= !report_plain(d, text_descriptor());
        verdict.counts = 1;
    } else {
        tally.exit_code = (int)verdict.exit_code;
        tally.failed |= verdict.failed != 0;
    }
    if (verdict.counts == 0)
        return false;
    tally.reported++;
    report_show(message);
    return true;
}

/* `wanted`: somebody shall be started to write it if need be. */
static void finish_locked(bool wanted)
{
    size_t length;
    struct wire_verdict verdict;
    struct wire_header *message = completeness_pack(&length);
    __typeof__(&channel_ask) ask = wanted ? channel_ask : channel_ask_present;
    if (ask(message, length, text_descriptor(), &verdict)) {
        tally.failed |= verdict.failed != 0;
        return;
    }
    if (tally.reported == 0)
        return;
    struct out out = {.fd = text_descriptor()};
    out_text(&out, "Photofinish: reported ");
    out_number(&out, tally.reported);
    out_text(&out, tally.reported == 1 ? " warning\n" : " warnings\n");
    out_flush(&out);
}

/* What the memory is. A block that is being freed, or was, is no longer in the book of those that exist. */
static void find_location(struct report_data *d)
{
    struct location *l = &d->location;
    location_find(d->found->address, l);
    if (d->current->is_free && location_freed(d->current->address, true, l)) {
        l->kind = WIRE_HEAP; /* that free is the race: the block exists up to it */
        l->freed_by = WIRE_NO_THREAD;
        l->free_pc = 0;
        l->free_node = 0;
    } else if (l->kind != WIRE_HEAP && d->known && d->site.is_free) {
        if (location_freed(d->site.address, true, l))
            return;
        l->kind = WIRE_FREED_HEAP;
        l->address = d->site.address;
        l->size = d->site.size;
    } else if (l->kind == WIRE_OTHER_MEMORY && d->current->is_free) {
        l->kind = WIRE_HEAP;
        l->address = d->current->address;
        l->size = d->current->size;
    }
}

static void report_locked(struct report_data *d)
{
    find_location(d);
    uint64_t address = address_key(d), pair = pair_key(d);
    const struct options *o = &runtime_options;
    if ((o->suppress_equal_addresses && seen(seen_addresses, address, false)) ||
        (o->suppress_equal_stacks && seen(seen_pairs, pair, false)))
        return;
    seen(seen_pairs, pair, true);
    if (!tell(d))
        return; /* what nobody wants to hear of must not hide another race here */
    seen(seen_addresses, address, true);
    if (!o->halt_on_error)
        return;
    finish_locked(true);
    report_exit(tally_status());
}

/* --- the end ---
 *
 * A reporter counts itself, then looks whether it is too late; whoever ends the process says so, then looks
 * how many are still at it. Both steps are full fences: a report is either waited for or does not begin. */

static uint32_t closed; /* the process that takes no more */
static int reporting;   /* threads between begin_report and end_report */

static bool begin_report(void)
{
    add_acq_rel(&reporting, 1);
    if (likely(load_acquire(&closed) == 0 || load_acquire(&closed) != process()))
        return true;
    add_acq_rel(&reporting, -1);
    return false;
}

static void end_report(void)
{
    add_acq_rel(&reporting, -1);
}

bool report_under_way(void)
{
    return load_acquire(&reporting) > 0;
}

/* They wait for the process that writes, no longer than it is given for an answer. */
static void wait_for_reporters(void)
{
    enum { TURNS = 30000 };
    const struct timespec millisecond = {.tv_nsec = 1000000};
    for (int i = 0; i < TURNS && report_under_way(); i++)
        sys_call3(SYS_nanosleep, (long)&millisecond, 0, 0);
}

void report_go_on(void)
{
    store_release(&closed, 0);
}

void report_forked(void)
{
    history_forked();
    reporting = 0;
    closed = 0;
}

/* The bytes may be a pointer. Others may write them meanwhile; whoever reads them has the same chance. */
static uintptr_t read_pointer(const struct report_data *d)
{
    const struct race_access_live *a = d->current;
    bool published = d->known && a->kind == PLAIN_READ && d->site.kind == PLAIN_WRITE && !d->site.is_free;
    return published && a->size == sizeof(uintptr_t) && d->site.size == a->size &&
                   d->site.address == a->address
               ? peek(a->address)
               : 0;
}

/* Entries of histories keep their numbers meanwhile: d->site has one. */
static void report_whole(struct report_data *d)
{
    d->known = access_earlier(d->found, &d->earlier, &d->site);
    d->pointer = read_pointer(d); /* signals that a look at memory may cause are not blocked yet */
    if (runtime_options.suppress_equal_stacks && seen(seen_pairs, pair_key(d), false))
        return;
    uint64_t before = enter();
    report_locked(d);
    leave(before);
}

static bool atomic_on_one_side(const struct race_access_live *current, const struct race_found *found)
{
    return current->kind >= ATOMIC_READ || found->conflict.kind >= ATOMIC_READ;
}

void report_race(struct thread *t, const struct race_access_live *current, const struct race_found *found)
{
    if (unlikely(pf_on_race != NULL))
        pf_on_race((const void *)current->address, current->size, (const void *)found->address);
    const struct options *o = &runtime_options;
    if (!o->report_bugs || !runtime_instrumented ||
        (!o->report_atomic_races && atomic_on_one_side(current, found)))
        return;
    struct report_data d = {.thread = t,
                            .node = current->node_known ? current->node : stack_node(t),
                            .current = current,
                            .found = found};
    if (is_familiar(&d) || !begin_report())
        return;
    history_hold();
    report_whole(&d);
    history_release();
    end_report();
}

int report_finish(void)
{
    exchange_acq_rel(&closed, process());
    wait_for_reporters();
    bool list = runtime_options.print_suppressions &&
                (runtime_options.suppressions[0] != '\0' || options_default_suppressions[0] != '\0');
    list |= runtime_options.verbosity > 0; /* what the verdict rests on is wanted */
    if (tally.pid != process() && !list && !channel_has_parent())
        return 0; /* this process has told nothing */
    uint64_t before = enter();
    begin_tally();
    if (tally.unfinished || list || channel_has_parent())
        finish_locked(tally.unfinished || list);
    tally.unfinished = false;
    int status = tally_status();
    leave(before);
    return status;
}

_Noreturn void report_exit(int status)
{
    end_call_back();
    if (runtime_options.abort_on_error) {
        struct {
            void (*handler)(int);
            unsigned long flags;
            void (*restorer)(void);
            uint64_t mask;
        } standard = {.handler = SIG_DFL};
        const uint64_t none = 0;
        sys_call6(SYS_rt_sigaction, SIGABRT, (long)&standard, 0, sizeof none, 0, 0);
        sys_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof none, 0, 0);
        sys_call3(SYS_tgkill, (long)process(), sys_call3(SYS_gettid, 0, 0, 0), SIGABRT);
    }
    sys_exit_process(status);
}
