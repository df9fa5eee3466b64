/* The options of a run: PHOTOFINISH_OPTIONS, and TSan's TSAN_OPTIONS, whose flags of the same meaning have
 * the same names. One table; the parser, the help text and the tests are made from it.
 *
 * Parsed inside the program under test as well as outside: nothing here uses libc.
 */
#pragma once

#include "base/base.h"

/* name, default, of a number the least and the most, of a word those there are, what it does */
#define OPTIONS(FLAG, NUMBER, WORD, TEXT)                                                                    \
    NUMBER(exitcode, 66, 0, 255, "exit status of a program that had a race; 0 leaves the program's own")     \
    FLAG(halt_on_error, 0, "end the program after the first report")                                         \
    FLAG(abort_on_error, 0, "end it by abort() where it would end with exitcode")                            \
    NUMBER(atexit_sleep_ms, 1000, 0, 3600000,                                                                \
           "at exit, wait no longer than this for other threads that run; 0: not at all")                    \
    FLAG(thread_start_wait, 0, "pthread_create returns when the new thread runs")                            \
    NUMBER(io_sync, 1, 0, 2,                                                                                 \
           "order by files, pipes, sockets: 0 none, 1 what is written before what reads it, 2 all")          \
    FLAG(report_bugs, 1, "report races; 0 only runs the program")                                            \
    FLAG(report_atomic_races, 1, "report races of an atomic access with a plain one")                        \
    FLAG(enable_annotations, 1, "heed the program's Annotate...() calls")                                    \
    TEXT(detector, "fasttrack2", "which detector; photofinish run --detector=NAME also loads what has it")   \
    TEXT(suppressions, "", "file with suppressions")                                                         \
    FLAG(default_suppressions, 1,                                                                            \
         "do not report known races inside libstdc++ (share/photofinish/default.supp)")                      \
    FLAG(print_suppressions, 0, "print the suppressions that matched, at the end")                           \
    FLAG(suppress_equal_stacks, 1, "report a pair of stacks only once")                                      \
    FLAG(suppress_equal_addresses, 1, "report only the first race on an address")                            \
    FLAG(ignore_interceptors_accesses, 0, "do not check what libc functions do to the program's memory")     \
    FLAG(ignore_noninstrumented_modules, 1, "the same, called by libraries that are not instrumented")       \
    NUMBER(history_size, 2, 0, 7,                                                                            \
           "0 to 7: past accesses of a thread to keep, 8192 entries doubled so many times")                  \
    WORD(history, "ring", "ring, full",                                                                      \
         "ring: the oldest accesses are overwritten; full is not in this version")                           \
    FLAG(check_single_threaded, 0,                                                                           \
         "check accesses also while the program has only one thread, where none can race")                   \
    TEXT(log_path, "stderr",                                                                                 \
         "write reports to this file, with the process id added or for %p; or stderr, stdout")               \
    FLAG(log_exe_name, 0, "add the program's name to log_path")                                              \
    TEXT(log_suffix, "", "add this to log_path")                                                             \
    FLAG(symbolize, 1, "say functions and lines, not only modules and offsets")                              \
    FLAG(symbolize_inline_frames, 1, "show inlined calls as frames")                                         \
    FLAG(demangle, 1, "show C++ names as they are written")                                                  \
    TEXT(strip_path_prefix, "", "leave this beginning of file names out")                                    \
    NUMBER(source_lines, 3, 0, 41, "so many lines of source are shown of each access; 0: none")              \
    WORD(color, "auto", "auto, always, never", "colors: always, never, or auto: when writing to a terminal") \
    TEXT(stack_trace_format, "DEFAULT",                                                                      \
         "a frame: %n number, %f function, %S place, %M module, %p %m %o %s %l %c %F %L")                    \
    FLAG(running_on_valgrind, 0, "what RunningOnValgrind() answers")                                         \
    NUMBER(dedup_token_length, 0, 0, 1000,                                                                   \
           "so many functions of a stack are its DEDUP_TOKEN; 0: none is printed")                           \
    FLAG(print_summary, 1, "end each report with a SUMMARY line")                                            \
    NUMBER(verbosity, 0, 0, 1000,                                                                            \
           "1: say when the runtime starts, and in the end what the verdict rests on")                       \
    TEXT(include, "", "read more options from this file")                                                    \
    TEXT(include_if_exists, "", "the same, if it exists") FLAG(help, 0, "print this list")

/* TSan's other flags: accepted, without effect here. */
#define OPTIONS_ACCEPTED(X)                                                                                  \
    X(adaptive_delay_aggressiveness)                                                                         \
    X(adaptive_delay_max_atomic)                                                                             \
    X(adaptive_delay_max_sync)                                                                               \
    X(adaptive_delay_mutex_sample_rate)                                                                      \
    X(adaptive_delay_relaxed_sample_rate)                                                                    \
    X(adaptive_delay_sync_atomic_sample_rate)                                                                \
    X(allocator_may_return_null)                                                                             \
    X(allocator_release_to_os_interval_ms)                                                                   \
    X(allow_addr2line)                                                                                       \
    X(allow_user_segv_handler)                                                                               \
    X(can_use_proc_maps_statm)                                                                               \
    X(check_printf)                                                                                          \
    X(clear_shadow_mmap_threshold)                                                                           \
    X(compress_stack_depot)                                                                                  \
    X(cov_8bit_counters_out)                                                                                 \
    X(cov_pcs_out)                                                                                           \
    X(coverage)                                                                                              \
    X(coverage_dir)                                                                                          \
    X(decorate_proc_maps)                                                                                    \
    X(detect_deadlocks)                                                                                      \
    X(detect_invalid_join)                                                                                   \
    X(detect_leaks)                                                                                          \
    X(detect_write_exec)                                                                                     \
    X(die_after_fork)                                                                                        \
    X(disable_coredump)                                                                                      \
    X(dump_instruction_bytes)                                                                                \
    X(dump_registers)                                                                                        \
    X(enable_adaptive_delay)                                                                                 \
    X(enable_symbolizer_markup)                                                                              \
    X(external_symbolizer_path)                                                                              \
    X(fast_unwind_on_check)                                                                                  \
    X(fast_unwind_on_fatal)                                                                                  \
    X(fast_unwind_on_malloc)                                                                                 \
    X(flush_memory_ms)                                                                                       \
    X(flush_symbolizer_ms)                                                                                   \
    X(force_background_thread)                                                                               \
    X(force_seq_cst_atomics)                                                                                 \
    X(full_address_space)                                                                                    \
    X(handle_abort)                                                                                          \
    X(handle_ioctl)                                                                                          \
    X(handle_segv)                                                                                           \
    X(handle_sigbus)                                                                                         \
    X(handle_sigfpe)                                                                                         \
    X(handle_sigill)                                                                                         \
    X(handle_sigtrap)                                                                                        \
    X(hard_rss_limit_mb)                                                                                     \
    X(heap_profile)                                                                                          \
    X(html_cov_report)                                                                                       \
    X(intercept_intrin)                                                                                      \
    X(intercept_memcmp)                                                                                      \
    X(intercept_memmem)                                                                                      \
    X(intercept_send)                                                                                        \
    X(intercept_stat)                                                                                        \
    X(intercept_strchr)                                                                                      \
    X(intercept_strcmp)                                                                                      \
    X(intercept_strlen)                                                                                      \
    X(intercept_strndup)                                                                                     \
    X(intercept_strpbrk)                                                                                     \
    X(intercept_strspn)                                                                                      \
    X(intercept_strstr)                                                                                      \
    X(intercept_strtok)                                                                                      \
    X(intercept_tls_get_addr)                                                                                \
    X(leak_check_at_exit)                                                                                    \
    X(legacy_pthread_cond)                                                                                   \
    X(log_fallback_to_stderr)                                                                                \
    X(log_to_syslog)                                                                                         \
    X(malloc_context_size)                                                                                   \
    X(max_allocation_size_mb)                                                                                \
    X(memory_limit_mb)                                                                                       \
    X(mmap_limit_mb)                                                                                         \
    X(no_huge_pages_for_shadow)                                                                              \
    X(print_cmdline)                                                                                         \
    X(print_full_thread_history)                                                                             \
    X(print_module_map)                                                                                      \
    X(profile_memory)                                                                                        \
    X(report_destroy_locked)                                                                                 \
    X(report_mutex_bugs)                                                                                     \
    X(report_signal_unsafe)                                                                                  \
    X(report_thread_leaks)                                                                                   \
    X(sancov_path)                                                                                           \
    X(second_deadlock_stack)                                                                                 \
    X(shared_ptr_interceptor)                                                                                \
    X(sleep_before_dying)                                                                                    \
    X(soft_rss_limit_mb)                                                                                     \
    X(stop_on_start)                                                                                         \
    X(strict_memcmp)                                                                                         \
    X(strict_string_checks)                                                                                  \
    X(strip_env)                                                                                             \
    X(suppress_equal_pcs)                                                                                    \
    X(symbolize_vs_style)                                                                                    \
    X(test_only_emulate_no_memorymap)                                                                        \
    X(test_only_replace_dlopen_main_program)                                                                 \
    X(usdt)                                                                                                  \
    X(use_madv_dontdump)                                                                                     \
    X(use_sigaltstack)                                                                                       \
    X(verify_asan_link_order)                                                                                \
    X(verify_interceptors)

enum { OPTION_BYTES = 1024 };

struct options {
#define FLAG(name, value, help)                bool name;
#define NUMBER(name, value, least, most, help) int name;
#define WORD(name, value, words, help)         char name[OPTION_BYTES];
#define TEXT(name, value, help)                char name[OPTION_BYTES];
    OPTIONS(FLAG, NUMBER, WORD, TEXT)
#undef FLAG
#undef NUMBER
#undef WORD
#undef TEXT
};

/* What was wrong with the text; both "" when nothing was. */
struct options_problem {
    char unknown[200]; /* names that are no option, comma-separated; a warning */
    char bad[200];     /* the first value that is none: "exitcode=many; it is 0 to 255" */
};

void options_default(struct options *options);

/* Takes over what the text says: name=value, separated by blanks, commas, colons or line ends; values may be
 * in single or double quotes. Problems are added to. */
void options_parse(struct options *options, const char *text, struct options_problem *problem);

/* The list for help=1, line by line; NULL after the last. */
const char *options_help_line(size_t index);
