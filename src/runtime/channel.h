/* The way to the process that writes reports: `photofinish run`, when the program was started by it, or else
 * a helper that is started when there is something to report. Callers hold the report's lock and have signals
 * blocked. */
#pragma once

#include "base/out.h"
#include "report/wire.h"
#include "runtime/thread.h"

/* When there is instrumented code: learns from the environment where reports go. */
HIDDEN void channel_find_parent(void);
/* The same, and tells `photofinish run`, if it is that, that a runtime is at work. */
HIDDEN void channel_hello(void);
/* Or, at the start, that it is not to be: the process has said why, and is about to end. */
HIDDEN void channel_refuse(void);

/* Tells it that there were threads that nobody was seen to create (thread_any_unseen). False: it is gone. */
HIDDEN bool channel_unseen(void);

/* In the child of a fork: the parent's channel is not ours. */
HIDDEN void channel_forked(void);

/* The next message opens a channel, and sends the options, again. */
HIDDEN void channel_close(void);

/* Sends a message (a header with kind and payload; the rest is filled in) together with a descriptor to write
 * text to, if it is one, and waits for the answer. False: there is nobody to send it to. */
HIDDEN bool channel_ask(struct wire_header *message, size_t length, int text_fd, struct wire_verdict *answer);

/* Asks only a helper that is running: starts none. */
HIDDEN bool channel_ask_present(struct wire_header *message, size_t length, int text_fd,
                                struct wire_verdict *answer);

/* Writes, once a process, one line about why there is no helper. */
HIDDEN void channel_put_problem(struct out *out);

/* Was the program started by `photofinish run`, as far as its environment says? */
HIDDEN bool channel_has_parent(void);

/* Did `photofinish run` answer last? It then knows of the races, whatever becomes of the process. */
HIDDEN bool channel_parent_knows(void);

/* For the recorder (runtime/host/recorder.h), on a connection of its own, from any thread: asks `photofinish
 * record` for a tape (0), with which comes its memory; or just has it look at what modules there are
 * (WIRE_TAPE_MODULES). False: there is no tape (any more). */
HIDDEN bool channel_tape(uint64_t what, int *memory);
