/* Libraries that order threads in ways the runtime does not see: what they order looks like a race.
 *
 * A library that was not built with pfcc has its calls of libc seen (pthread_mutex_lock, sem_post, read ...), but not
 * its own atomics and futexes. Some are known to work with those alone. The others are named where they have a part in
 * the race, because they created one of its threads or called its code, or where the program calls functions of theirs
 * that are about locks or queues by their names. */
#pragma once

#include "report/live.h"

/* Known ones: how the file's name begins, what people call it, the library that tells us how it orders threads, if
 * there is one (where that is loaded, too, all is seen), parts of the names of what orders threads there, and a function
 * by which a file is known that has the library linked statically. */
#define UNSEEN_LIBRARIES(X)                                                                                  \
    X("libgomp.so", "OpenMP", NULL, "GOMP_ omp_", "GOMP_parallel")                                           \
    X("libomp.so", "OpenMP", "libarcher.so", "__kmpc_ omp_ GOMP_", "__kmpc_fork_call")                       \
    X("libomp5.so", "OpenMP", "libarcher.so", "__kmpc_ omp_ GOMP_", NULL)                                    \
    X("libiomp5.so", "OpenMP", "libarcher.so", "__kmpc_ omp_ GOMP_", NULL)                                   \
    X("libglib-2.0.so", "GLib", NULL, UNSEEN_GLIB, "g_mutex_lock")                                           \
    X("libQt5Core.so", "Qt", NULL, UNSEEN_QT, "_ZN11QBasicMutex12lockInternalEv")                            \
    X("libQt6Core.so", "Qt", NULL, UNSEEN_QT, NULL)                                                          \
    X("libtbb.so", "TBB", NULL, "tbb", "_ZN3tbb6detail2r110initializeERNS0_2d118task_group_contextE")        \
    X("libtbb12.so", "TBB", NULL, "tbb", NULL)                                                               \
    X("libboost_fiber.so", "Boost.Fiber", NULL, "fibers", "_ZN5boost6fibers7context6activeEv")               \
    X("libstd-", "Rust's standard library", NULL, "rust_", "rust_eh_personality")
#define UNSEEN_GLIB                                                                                          \
    "g_mutex_ g_rec_mutex_ g_rw_lock_ g_cond_ g_static_ g_once_ g_bit_ g_pointer_bit_ g_atomic_ "            \
    "g_private_ g_async_queue_ g_thread_ g_task_ g_main_ g_source_ g_idle_ g_timeout_ g_application_"
#define UNSEEN_QT                                                                                            \
    "Mutex QSemaphore QWaitCondition QReadWriteLock QThread QRunnable QFuture QPromise QAtomic "             \
    "QMetaObject QObject QCoreApplication QEventLoop QTimer"

struct unseen_library {
    const char *file, *name, *teller, *words, *function;
};

/* The entry of a file; NULL: there is none. */
const struct unseen_library *unseen_library(const char *path);

/* Is it a file of this name? */
bool file_begins_with(const char *path, const char *beginning);

/* Is it one of those whose functions the runtime knows: libc's own, the C++ library, the runtime itself? */
bool library_is_modelled(const char *path);

/* Which library may order the two accesses of the race, and why it is thought of; no text: none. */
struct unseen unseen_of_race(const struct live_race *race, const struct raw_race *raw, struct pool *pool);
