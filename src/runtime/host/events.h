/* The generic host: any detector under the running program.
 *
 * The detectors are the ones that analyze traces, compiled from the same files (detect/). This library has
 * the runtime's threads, interceptors, heap and reports; what goes to the shadow there becomes events here.
 * Files of this folder stand in for those of the same name one folder up, and for shadow/clear.c.
 *
 *   an access         a read or write of a variable: some bytes that have always been accessed together
 *                     (host/memory.h); atomic ones are told apart there
 *   a release         a barrier round that one thread arrives at, made for this release alone, and whoever
 *                     acquires it leaves (host/posts.h). With that alone every kind of synchronization is
 * exact, replaced, joined and forgotten clocks included. create, join      fork, join locks             also
 * acquire and release, for detectors that look at locks themselves (not precise ones: eraser). Precise ones
 * have all of it in the rounds.
 *
 * One lock around everything here: events are a sequence. It is held around the real operation of an atomic
 * variable, too, and never while the program's own code runs or a race is reported.
 *
 * The number of an event, which a detector keeps with each access and gives back in a race, is here the
 * number of the access's site (host/sites.h): so both places of a race are known, however long ago the first
 * was.
 */
#pragma once

#include "detect/detectors.h"
#include "runtime/thread.h"

/* What the host keeps of a thread. Its id is the detector's id of the thread. */
#ifndef KNOWN_POSTS /* tests make them few */
#define KNOWN_POSTS 64
#define RECENT      256
#endif

struct recent_access {
    uintptr_t address;
    size_t size;
    uint64_t segment, clears;
};

struct host_thread {
    uint32_t id;
    struct thread *of;
    struct host_thread *next, **link; /* all that may still have events */
    struct mailbox fenced, loaded;    /* posts (host/posts.h), as thread.fenced and thread.loaded */
    struct {
        uint32_t by;
        uint64_t when;
    } known[KNOWN_POSTS]; /* the newest post of a thread that this one has learned, for some threads */
    uint64_t posts;       /* that it has made */
    uint32_t held;        /* number of the locks it holds (host/held.h); 0: to be looked up */
    bool tells_held;      /* (host/held.h) */
    uint64_t segment;     /* its synchronization events so far; written under the lock */
    struct recent_access recent[2][RECENT]; /* reads and writes that need not be told again (host/access.c) */
    struct stream *stream; /* where the recorder writes its plain accesses, or NULL (host/stream.h) */
};

extern HIDDEN struct host_thread *events_threads;

/* With the lock held, in the child of a fork: of all threads only the calling one is left. Its memory was
 * copied after whatever the others did: it has joined them. */
HIDDEN void events_forked(void);

/* For reports, without the lock: the thread, or what is remembered of it. */
HIDDEN const struct thread *events_thread(uint32_t id);

/* NULL before the start. */
extern HIDDEN const struct detector *events_detector;
extern HIDDEN struct mem *events_mem;

HIDDEN void events_enter(void);
HIDDEN void events_leave(void);
/* From now on threads may appear that nobody forks. */
HIDDEN void events_open_world(void);
/* Is the caller a signal handler that has interrupted its own thread in there? */
HIDDEN bool events_interrupted(void);

/* --- between the two --- */

/* Returns the site of the earlier access that it races with, or 0. */
HIDDEN uint32_t events_access(const struct host_thread *h, uint32_t variable, bool write, uint32_t site);
HIDDEN void events_copy(uint32_t from, uint32_t to);

HIDDEN void events_sync(struct host_thread *h, enum op op, uint32_t target, unsigned flags);
/* What is left to do of it where the event is told by other means. */
HIDDEN void events_synced(struct host_thread *h, bool released);
/* Of no thread: the target is dropped. */
HIDDEN void events_drop(enum op op, uint32_t target);

/* Ids. A variable that is given back becomes untouched. */
HIDDEN uint32_t events_new_variable(void);
HIDDEN void events_give_variable(uint32_t variable);
HIDDEN uint32_t events_new_round(void);
HIDDEN void events_give_round(uint32_t round);
HIDDEN uint32_t events_new_lock(void); /* never given back: a lockset may still have it */
