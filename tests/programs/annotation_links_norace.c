/* Every annotation that other detectors know can be called. */
#include <string.h>

void AnnotateCondVarSignal(const char *, int, ...);
void AnnotateCondVarSignalAll(const char *, int, ...);
void AnnotateCondVarWait(const char *, int, ...);
void AnnotateMutexIsNotPHB(const char *, int, ...);
void AnnotateMutexIsUsedAsCondVar(const char *, int, ...);
void AnnotatePCQCreate(const char *, int, ...);
void AnnotatePCQDestroy(const char *, int, ...);
void AnnotatePCQGet(const char *, int, ...);
void AnnotatePCQPut(const char *, int, ...);
void AnnotatePublishMemoryRange(const char *, int, ...);
void AnnotateUnpublishMemoryRange(const char *, int, ...);
void AnnotateNewMemory(const char *, int, ...);
void AnnotateTraceMemory(const char *, int, ...);
void AnnotateFlushState(const char *, int, ...);
void AnnotateEnableRaceDetection(const char *, int, ...);
void AnnotateExpectRace(const char *, int, ...);
void AnnotateFlushExpectedRaces(const char *, int, ...);
void AnnotateMemoryIsInitialized(const char *, int, ...);
void AnnotateMemoryIsUninitialized(const char *, int, ...);
void AnnotateNoOp(const char *, int, ...);
void AnnotateRWLockCreateStatic(const char *, int, ...);
void AnnotateRWLockCreate(const char *, int, ...);
void AnnotateRWLockDestroy(const char *, int, ...);
void AnnotateThreadName(const char *, int, ...);
void AnnotateBenignRace(const char *, int, ...);
void WTFAnnotateHappensBefore(const char *, int, void *);
void WTFAnnotateHappensAfter(const char *, int, void *);
void WTFAnnotateBenignRaceSized(const char *, int, void *, unsigned long, const char *);
int RunningOnValgrind(void);
double ValgrindSlowdown(void);
const char *ThreadSanitizerQuery(const char *);
void __tsan_flush_memory(void);
void __tsan_on_thread_idle(void);
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);

int main(void)
{
    static long x;
    AnnotateCondVarSignal(__FILE__, __LINE__, &x, "y", "z");
    AnnotateCondVarSignalAll(__FILE__, __LINE__, &x, "y", "z");
    AnnotateCondVarWait(__FILE__, __LINE__, &x, "y", "z");
    AnnotateMutexIsNotPHB(__FILE__, __LINE__, &x, "y", "z");
    AnnotateMutexIsUsedAsCondVar(__FILE__, __LINE__, &x, "y", "z");
    AnnotatePCQCreate(__FILE__, __LINE__, &x, "y", "z");
    AnnotatePCQDestroy(__FILE__, __LINE__, &x, "y", "z");
    AnnotatePCQGet(__FILE__, __LINE__, &x, "y", "z");
    AnnotatePCQPut(__FILE__, __LINE__, &x, "y", "z");
    AnnotatePublishMemoryRange(__FILE__, __LINE__, &x, "y", "z");
    AnnotateUnpublishMemoryRange(__FILE__, __LINE__, &x, "y", "z");
    AnnotateNewMemory(__FILE__, __LINE__, &x, "y", "z");
    AnnotateTraceMemory(__FILE__, __LINE__, &x, "y", "z");
    AnnotateFlushState(__FILE__, __LINE__, &x, "y", "z");
    AnnotateEnableRaceDetection(__FILE__, __LINE__, &x, "y", "z");
    AnnotateExpectRace(__FILE__, __LINE__, &x, "y", "z");
    AnnotateFlushExpectedRaces(__FILE__, __LINE__, &x, "y", "z");
    AnnotateMemoryIsInitialized(__FILE__, __LINE__, &x, "y", "z");
    AnnotateMemoryIsUninitialized(__FILE__, __LINE__, &x, "y", "z");
    AnnotateNoOp(__FILE__, __LINE__, &x, "y", "z");
    AnnotateRWLockCreateStatic(__FILE__, __LINE__, &x, "y", "z");
    AnnotateRWLockCreate(__FILE__, __LINE__, &x, "y", "z");
    AnnotateRWLockDestroy(__FILE__, __LINE__, &x, "y", "z");
    AnnotateThreadName(__FILE__, __LINE__, "x", "y", "z");
    AnnotateBenignRace(__FILE__, __LINE__, &x, "y", "z");
    WTFAnnotateHappensBefore(__FILE__, __LINE__, &x);
    WTFAnnotateHappensAfter(__FILE__, __LINE__, &x);
    WTFAnnotateBenignRaceSized(__FILE__, __LINE__, &x, sizeof x, "why");
    __tsan_flush_memory();
    __tsan_on_thread_idle();
    __tsan_ignore_thread_begin();
    __tsan_ignore_thread_end();
    return RunningOnValgrind() != 0 || ValgrindSlowdown() < 1 ||
           strcmp(ThreadSanitizerQuery("sure"), "1") != 0 || strcmp(ThreadSanitizerQuery("what"), "0") != 0;
}
