/* Start of the runtime. */
#include <sys/single_threaded.h>

#include "base/arena.h"
#include "base/out.h"
#include "runtime/channel.h"
#include "runtime/end.h"
#include "runtime/init.h"
#include "runtime/intercept/alternate.h"
#include "runtime/intercept/late.h"
#include "runtime/intercept/loader.h"
#include "runtime/intercept/memory.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/signal.h"
#include "runtime/intercept/start.h"
#include "runtime/location.h"
#include "runtime/options.h"
#include "runtime/other_sanitizer.h"
#include "runtime/places.h"
#include "runtime/report.h"
#include "runtime/run_environment.h"
#include "runtime/secure.h"
#include "runtime/signals.h"
#include "runtime/single_threaded.h"
#include "runtime/world.h"

static bool started;
static const char *obstacle; /* why it cannot start; NULL: nothing is known to be in the way */
bool runtime_instrumented;

bool runtime_awake(void)
{
    return started;
}

static cold_path _Noreturn void refuse(const char *why)
{
    struct out out = {.fd = 2};
    out_text(&out, why);
    out_flush(&out);
    channel_refuse();
    sys_exit_process(EXIT_TOOL_FAILED);
}

static void refuse_other_sanitizer(void)
{
    const char *other = other_sanitizer();
    if (other == NULL)
        return;
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: ");
    out_text(&out, other);
    out_text(&out,
             " is loaded into this program, too (by LD_PRELOAD?): Photofinish cannot work together with "
             "another sanitizer\n");
    out_flush(&out);
    channel_refuse();
    sys_exit_process(EXIT_BAD_OPTIONS);
}

/* Instructions that do nothing, in an order that Valgrind takes for a question: here, whether it is there. It
 * has no room for the shadow, and its own idea of signals and threads. */
static bool on_valgrind(void)
{
    uint64_t question[6] = {0x1001}, answer = 0;
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(question)
                     : "cc", "memory");
    return answer != 0;
}

/* The program's hook: the runtime has started. */
void __tsan_on_initialize(void) __attribute__((weak, visibility("default")));

/* --- the start --- */

static void say_hello(void)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: runtime " PF_VERSION " in process ");
    out_number(&out, (uint64_t)sys_call3(SYS_getpid, 0, 0, 0));
    out_text(&out, "\n");
    out_flush(&out);
}

/* At the start, not with the first report: a run without one must not look as if options had taken effect. */
static void tell_secure(void)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: this program has rights that its caller lacks (set-user-ID, set-group-ID or "
                   "capabilities): options are ignored, and details of races are off\n");
    out_flush(&out);
}

/* Returns what is in the way, or NULL. */
static const char *map_shadow(void)
{
    if (on_valgrind())
        return "photofinish: this program checks itself for races and does not run on Valgrind\n";
    if (!shadow_map_init())
        return "photofinish: cannot reserve address space for the shadow (is it limited by ulimit -v or "
               "-d?)\n";
    if (arena_lazy)
        signal_init_needed();
    if (places_keep_apart())
        return NULL;
    shadow_base = 0; /* there is none, for interceptors that ask */
    return "photofinish: the program and its libraries lie where their shadows meet (it is by chance: start "
           "it again)\n";
}

/* No thread has been created yet, and every pthread_create will be ours. The generic host needs every access. */
static bool sees_all_threads(void)
{
    return __libc_single_threaded && start_is_ours() && host_forked == NULL;
}

/* Tells `photofinish run` that instrumented code is checked here. */
static void hello(void)
{
    static bool said;
    if (!said)
        channel_hello();
    said = true;
}

static void start(void)
{
    started = true;
    if (secure_mode())
        tell_secure();
    if (runtime_instrumented)
        channel_find_parent();
    options_load(); /* may refuse to start, in the place of a hello */
    if (runtime_instrumented)
        hello();
    shadow_init();
    thread_current();
    if (sees_all_threads() && !runtime_options.check_single_threaded)
        single_threaded_init(thread_self);
    places_release_heap(); /* all large tables are mapped, and the C library may need it next */
    real_find_all();
    start_init();
    location_init();
    world_watch_forks(); /* before all others, so that its handlers run next to the fork */
    end_watch();
    end_begin();
    signal_init();
    alternate_begin(thread_self);
}

/* The program may have signal handlers already, which must not find half a runtime. */
static void try_to_start(void)
{
    uint64_t before = signals_mask(SIG_BLOCK, SIGNALS_ASYNCHRONOUS);
    obstacle = map_shadow();
    if (obstacle == NULL)
        start();
    signals_mask(SIG_SETMASK, before);
    if (obstacle != NULL)
        return;
    if (runtime_options.verbosity > 0)
        say_hello();
    if (__tsan_on_initialize != NULL)
        __tsan_on_initialize();
}

void runtime_start(void)
{
    if (started)
        return;
    if (obstacle == NULL)
        try_to_start();
    if (obstacle != NULL)
        refuse(obstacle);
}

__attribute__((visibility("default"))) void __tsan_init(void);
__attribute__((visibility("default"))) void __tsan_init(void)
{
    bool was_awake = started;
    runtime_instrumented = true;
    if (!started)
        refuse_other_sanitizer();
    runtime_start();
    if (was_awake)
        hello();
    caller_look_at_objects(CALLER_PC);
    loader_constructs(thread_self, CALLER_PC);
    memory_find_allocator(); /* now that the instrumented objects are known */
    if (real_too_late)
        late_take_ends();
    if (host_loaded != NULL)
        host_loaded();
}

/* From an executable that pfcc has linked (runtime/preinit), whether or not anything in it is instrumented. In a program that
 * the runtime is linked into, only the constructors of its files know. */
__attribute__((visibility("default"))) void __pf_start(void);
__attribute__((visibility("default"))) void __pf_start(void)
{
    if (caller_any_asks()) {
        __tsan_init();
        return;
    }
    if (!started)
        refuse_other_sanitizer();
    runtime_start();
}

/* Under a name that nobody can replace. */
extern HIDDEN void own_init(void);
__asm__(".hidden own_init\n\t"
        ".globl own_init\n\t"
        ".set own_init, __tsan_init");

/* A library has brought us along into a program that has a runtime: all call that one. */
static bool is_second(void)
{
    void (*volatile used)(void) = __tsan_init; /* what the dynamic linker has chosen */
    return used != own_init;
}

void runtime_wake(void)
{
    if (!started && obstacle == NULL && !is_second() && start_is_ours() && !options_record())
        try_to_start();
}

static __attribute__((constructor(101))) void start_early(void)
{
    bool instrumented = caller_any_instrumented();
    if (instrumented)
        refuse_other_sanitizer(); /* or all would call that one */
    if (is_second())
        return;
    run_environment_keep();
    runtime_instrumented |= instrumented;
    if (runtime_instrumented)
        runtime_start();
    else
        end_watch();
    if (secure_mode())
        options_forget_environment(); /* libc has it now */
}
