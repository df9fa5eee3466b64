/* Tells the world about a race. */
#pragma once

#include "runtime/thread.h"

struct race_access_live {
    uintptr_t address, pc;
    size_t size;
    enum access_kind kind;
    bool is_free;
    bool node_known; /* the stack is that of this node, not the thread's present one */
    uint32_t node;
};

/* The program's own, if it has one: told of every race at once, whatever options and suppressions say. The byte that
 * races is one of the `size` bytes at `access`. For tests (tests/stress). */
__attribute__((weak, visibility("default"))) extern void pf_on_race(const void *access, size_t size,
                                                                    const void *byte);

HIDDEN void report_race(struct thread *t, const struct race_access_live *current,
                        const struct race_found *found);

/* At the end of the program, whichever way it ends: waits for reports that are on their way, lets no more begin, and
 * writes the summary. Returns the status that the program shall exit with instead of its own; 0: none. */
HIDDEN int report_finish(void);
/* Is any thread at a report? */
HIDDEN bool report_under_way(void);
/* It did not end. */
HIDDEN void report_go_on(void);
/* In the child of a fork. */
HIDDEN void report_forked(void);

/* Where text goes from now on, instead of where log_path says. */
HIDDEN void report_to_descriptor(int fd);
/* The options that say how reports are written have changed. */
HIDDEN void report_settings_changed(void);

/* Ends the process the way the options say (abort_on_error). */
HIDDEN _Noreturn void report_exit(int status);
