/* The options of this run (the table: report/options.h). Later sources override earlier ones: the program's
 * own
 * __tsan_default_options(), TSAN_OPTIONS, PHOTOFINISH_OPTIONS. */
#pragma once

#include "report/options.h"
#include "runtime/thread.h"

extern HIDDEN struct options runtime_options; /* read-only once loaded */

/* What the program's __tsan_default_suppressions() says; "" if it has none. */
extern HIDDEN const char *options_default_suppressions;

/* Once, at the start. Unknown options warn in one line; a bad value, or a suppressions file that cannot be
 * used, ends the program with one line and status 64. */
HIDDEN void options_load(void);

/* The user has asked, by our own options, that nothing is checked: a clean end would say more than is known. (TSan's options and
 * the program's own leave the program's exit status as it is.) Written at the start. */
extern HIDDEN bool options_unchecked;

/* Does the folder of log_path lack a place for reports, since the start? Those that there may be would be lost. */
HIDDEN bool options_log_lost(void);

/* Does the environment ask for a recording? That begins with instrumented code: before it there is nothing to record. */
HIDDEN bool options_record(void);

/* The generic host's (runtime/thread.h): prepares the detector of this name; false: there is none. */
__attribute__((weak)) HIDDEN bool host_choose(const char *name);

/* The value of an environment variable as the process was started with it, or NULL; always NULL in a program
 * with rights that its caller lacks. */
HIDDEN const char *options_environment(const char *name);

/* The text after "name=" if the variable is this one, or NULL. */
HIDDEN const char *options_value(const char *variable, const char *name);

/* Takes our variables out of the environment, as the dynamic linker takes its own out, in a program with rights
 * that its caller lacks (runtime/secure.h): what it starts may not be such a program, and would heed them. */
HIDDEN void options_forget_environment(void);

enum { EXIT_BAD_OPTIONS = 64, EXIT_NOT_CHECKED = 64 };
