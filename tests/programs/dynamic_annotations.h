/* The dynamic annotations that the programs here use, as such headers declare them. */
#pragma once

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, unsigned long size,
                             const char *why);
void AnnotateBenignRace(const char *file, int line, const volatile void *address, const char *why);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
void AnnotateHappensBefore(const char *file, int line, const volatile void *address);
void AnnotateHappensAfter(const char *file, int line, const volatile void *address);
void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock);
void AnnotateRWLockDestroy(const char *file, int line, const volatile void *lock);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long for_writing);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long for_writing);

#define HERE __FILE__, __LINE__
