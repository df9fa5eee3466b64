/* Annotations for synchronization that a race detector cannot see.
 *
 * Every macro works in programs built with or without Photofinish, and with ThreadSanitizer: without a
 * detector it tests a weak symbol, finds nothing and does nothing.
 *
 *   PF_RELEASE(&x);          what this thread did so far happens before ...
 *   PF_ACQUIRE(&x);          ... what that thread does from here on. Both use the same address, any will do.
 *
 *   PF_BENIGN_RACE(&n, sizeof n, "statistics");     races on these bytes are not reported
 *
 *   PF_IGNORE_BEGIN(); ... PF_IGNORE_END();                  this thread's accesses are not checked
 *   PF_IGNORE_SYNC_BEGIN(); ... PF_IGNORE_SYNC_END();        its synchronization orders nothing
 *
 *   PF_THREAD_NAME("worker 3");                     as which it appears in reports
 *   PF_RUNNING()                                    is a detector there?
 */
#ifndef PHOTOFINISH_ANNOTATE_H
#define PHOTOFINISH_ANNOTATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names of our own for these symbols, so that other declarations of them do not get in the way. */
#define PF_WEAK(symbol) __asm__(symbol) __attribute__((weak))

void pf_weak_acquire(void *address) PF_WEAK("__tsan_acquire");
void pf_weak_release(void *address) PF_WEAK("__tsan_release");
void pf_weak_benign(const char *file, int line, const volatile void *address, size_t size, const char *why)
    PF_WEAK("AnnotateBenignRaceSized");
void pf_weak_ignore_reads_begin(const char *file, int line) PF_WEAK("AnnotateIgnoreReadsBegin");
void pf_weak_ignore_reads_end(const char *file, int line) PF_WEAK("AnnotateIgnoreReadsEnd");
void pf_weak_ignore_writes_begin(const char *file, int line) PF_WEAK("AnnotateIgnoreWritesBegin");
void pf_weak_ignore_writes_end(const char *file, int line) PF_WEAK("AnnotateIgnoreWritesEnd");
void pf_weak_ignore_sync_begin(const char *file, int line) PF_WEAK("AnnotateIgnoreSyncBegin");
void pf_weak_ignore_sync_end(const char *file, int line) PF_WEAK("AnnotateIgnoreSyncEnd");
void pf_weak_thread_name(const char *file, int line, const char *name) PF_WEAK("AnnotateThreadName");

#ifdef __cplusplus
}
#endif

#define PF_RUNNING() (pf_weak_acquire != 0)

#define PF_ACQUIRE(address) ((void)(pf_weak_acquire && (pf_weak_acquire((void *)(address)), 1)))
#define PF_RELEASE(address) ((void)(pf_weak_release && (pf_weak_release((void *)(address)), 1)))

#define PF_BENIGN_RACE(address, size, why)                                                                   \
    ((void)(pf_weak_benign && (pf_weak_benign(__FILE__, __LINE__, (address), (size), (why)), 1)))

#define PF_IGNORE_BEGIN()                                                                                    \
    ((void)(pf_weak_ignore_reads_begin && (pf_weak_ignore_reads_begin(__FILE__, __LINE__), 1)),              \
     (void)(pf_weak_ignore_writes_begin && (pf_weak_ignore_writes_begin(__FILE__, __LINE__), 1)))
#define PF_IGNORE_END()                                                                                      \
    ((void)(pf_weak_ignore_writes_end && (pf_weak_ignore_writes_end(__FILE__, __LINE__), 1)),                \
     (void)(pf_weak_ignore_reads_end && (pf_weak_ignore_reads_end(__FILE__, __LINE__), 1)))

#define PF_IGNORE_SYNC_BEGIN()                                                                               \
    ((void)(pf_weak_ignore_sync_begin && (pf_weak_ignore_sync_begin(__FILE__, __LINE__), 1)))
#define PF_IGNORE_SYNC_END()                                                                                 \
    ((void)(pf_weak_ignore_sync_end && (pf_weak_ignore_sync_end(__FILE__, __LINE__), 1)))

#define PF_THREAD_NAME(name)                                                                                 \
    ((void)(pf_weak_thread_name && (pf_weak_thread_name(__FILE__, __LINE__, (name)), 1)))

#endif
