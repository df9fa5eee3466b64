/* The end of the program, whichever way it comes (docs/live.md lists them): reports that are on their
 * way are waited for, and the summary is printed.
 *
 * Where it comes by a call (exit, _exit, quick_exit, exec), the call is ours. Where a signal kills the
 * program, a handler of ours runs first (intercept/signal.c). SIGKILL and system calls made by hand are not
 * seen; what was reported before them is whole. */
#pragma once

#include "runtime/thread.h"

/* Idempotent. Before the program registers handlers of its own, even if the runtime is still asleep. */
HIDDEN void end_watch(void);
/* The runtime has started. */
HIDDEN void end_begin(void);

/* The process is about to end. Waits for reports that other threads are at, and lets them begin no more.
 * Returns the status to exit with instead of the program's; 0: none. Nothing happens in a process that shares
 * our memory (vfork). */
HIDDEN int end_come(void);

/* Before exec. Returns 0 if the process may become another program; otherwise the status to end it with instead, and what the
 * new program's status would hide. */
HIDDEN int end_before_exec(const char **hidden);

/* The program ends itself, without exit handlers. Returns the status to exit with. */
HIDDEN int end_exiting(int status);

/* The process that this memory belongs to; 0: the runtime has not started. */
HIDDEN int end_home(void);
/* What the program itself wants to exit with; -1: not known. Written by the thread that ends it. */
extern HIDDEN int end_status;

/* The program's own last word before it is ended because of a race; called once. */
extern HIDDEN void (*end_callback)(void);
HIDDEN void end_call_back(void);

/* In the child of a fork. */
HIDDEN void end_forked(void);

/* It did not end after all. */
HIDDEN void end_put_off(void);
