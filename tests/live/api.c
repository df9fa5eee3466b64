/* A program that asks about its race while it is reported, and has a last word before it ends. The race:
 * thread T1 named "writer" writes 4 bytes of a heap block under a mutex, main reads 2 of them. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../programs/unseen.h"

void *__tsan_get_current_report(void);
int __tsan_get_report_data(void *, const char **, int *, int *, int *, int *, int *, int *, int *, void **,
                           size_t);
int __tsan_get_report_mop(void *, size_t, int *, void **, int *, int *, int *, void **, size_t);
int __tsan_get_report_loc(void *, size_t, const char **, void **, uintptr_t *, size_t *, int *, int *, int *,
                          void **, size_t);
int __tsan_get_report_mutex(void *, size_t, uint64_t *, void **, int *, void **, size_t);
int __tsan_get_report_thread(void *, size_t, int *, uint64_t *, int *, const char **, int *, void **, size_t);
int __tsan_get_report_unique_tid(void *, size_t, int *);
int __tsan_describe_mop(void *, size_t, char *, size_t);
int __tsan_describe_loc(void *, size_t, char *, size_t);
int __tsan_describe_mutex(void *, size_t, char *, size_t);
int __tsan_describe_thread(void *, size_t, char *, size_t);
int __tsan_get_alloc_stack(uintptr_t, uintptr_t *, size_t, int *, uint64_t *);
const char *__tsan_locate_address(uintptr_t, char *, size_t, uintptr_t *, size_t *);
void __sanitizer_set_death_callback(void (*)(void));
void __sanitizer_set_report_path(const char *);
void __sanitizer_set_report_fd(void *);
void __sanitizer_print_stack_trace(void);
int __sanitizer_get_module_and_offset_for_pc(void *, char *, size_t, void **);
size_t __sanitizer_get_allocated_size(const void *);
int __sanitizer_get_ownership(const void *);
void *__tsan_external_register_tag(const char *);
void __tsan_external_write(void *, void *, void *);
void __tsan_external_read(void *, void *, void *);
void __tsan_on_report(void *report);

static char *block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *tag;
static int reports;

void __tsan_on_report(void *report)
{
    enum { FRAMES = 16 };
    void *trace[FRAMES], *address;
    const char *text, *name;
    int count[8], thread, size, write, atomic, running, creator, descriptor, other;
    uintptr_t start, allocated[FRAMES];
    size_t length;
    uint64_t id;
    reports++; /* its own accesses are not checked */
    printf("report %d\n", report == __tsan_get_current_report());
    __tsan_get_report_data(report, &text, &count[0], &count[1], &count[2], &count[3], &count[4], &count[5],
                           &count[6], trace, FRAMES);
    printf("%s accesses %d locations %d mutexes %d threads %d unique %d\n", text, count[2], count[3],
           count[4], count[5], count[6]);
    for (size_t i = 0;
         __tsan_get_report_mop(report, i, &thread, &address, &size, &write, &atomic, trace, FRAMES); i++)
        printf("access by %d offset %d size %d write %d atomic %d stack %d\n", thread,
               (int)((char *)address - block), size, write, atomic, trace[0] != NULL);
    for (size_t i = 0; __tsan_get_report_loc(report, i, &text, &address, &start, &length, &thread,
                                             &descriptor, &other, trace, FRAMES);
         i++)
        printf("location %s start %d size %zu by %d\n", text, (int)(start - (uintptr_t)block), length,
               thread);
    for (size_t i = 0; __tsan_get_report_mutex(report, i, &id, &address, &other, trace, FRAMES); i++)
        printf("mutex %llu right %d\n", (unsigned long long)id, address == &lock);
    for (size_t i = 0;
         __tsan_get_report_thread(report, i, &thread, &id, &running, &name, &creator, trace, FRAMES); i++)
        printf("thread %d '%s' creator %d\n", thread, name, creator);
    for (size_t i = 0; __tsan_get_report_unique_tid(report, i, &thread); i++)
        printf("unique %d\n", thread);
    char line[200], small[8] = "XXXXXXX";
    int stack = __tsan_describe_mop(report, 0, line, sizeof line);
    printf("%s, stack %d\n", line, stack);
    stack = __tsan_describe_mop(report, 1, line, sizeof line);
    printf("%s, stack %d\n", line, stack);
    stack = __tsan_describe_loc(report, 0, line, sizeof line);
    printf("%s, stack %d\n", line, stack);
    stack = __tsan_describe_mutex(report, 0, line, sizeof line);
    printf("%s, stack %d\n", line, stack);
    for (size_t i = 0; i < 3; i++) {
        stack = __tsan_describe_thread(report, i, line, sizeof line);
        printf("%s, stack %d\n", line, stack);
    }
    __tsan_describe_mop(report, 0, small, 0);
    printf("small %s", small);
    __tsan_describe_mop(report, 0, small, 7);
    printf(" '%s'\n", small);
    char named[10];
    text = __tsan_locate_address((uintptr_t)block + 3, named, sizeof named, &start, &length);
    printf("located %s %d %zu\n", text, (int)(start - (uintptr_t)block), length);
    int frames = __tsan_get_alloc_stack((uintptr_t)block, allocated, FRAMES, &thread, &id);
    printf("allocated %d by %d\n", frames > 0, thread);
    fflush(stdout);
}

static void last_word(void)
{
    static const char text[] = "last word\n";
    ssize_t unused = write(1, text, sizeof text - 1);
    (void)unused;
}

static void *writer(void *argument)
{
    pthread_setname_np(pthread_self(), "writer");
    pthread_mutex_lock(&lock);
    if (tag != NULL)
        __tsan_external_write(block, NULL, tag);
    else
        memset(block + 4, 1, 4);
    pthread_mutex_unlock(&lock);
    unseen_signal(1);
    return argument;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    char module[100];
    void *offset;
    block = malloc(16);
    __sanitizer_set_death_callback(last_word);
    if (strcmp(way, "path") == 0)
        __sanitizer_set_report_path("chosen");
    if (strcmp(way, "fd") == 0)
        __sanitizer_set_report_fd((void *)1);
    if (strcmp(way, "external") == 0)
        tag = __tsan_external_register_tag("object");
    if (strcmp(way, "ask") == 0) {
        __sanitizer_print_stack_trace();
        printf("%zu %d %d\n", __sanitizer_get_allocated_size(block), __sanitizer_get_ownership(block),
               __sanitizer_get_ownership(block + 1));
        printf("%d\n", __sanitizer_get_module_and_offset_for_pc((void *)(uintptr_t)main, module,
                                                                sizeof module, &offset));
        free(block);
        return 0;
    }
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    unseen_wait(1);
    int seen = 0;
    if (tag != NULL)
        __tsan_external_read(block, NULL, tag);
    else
        seen = *(volatile short *)(block + 4);
    pthread_join(thread, NULL);
    printf("seen %d, reports %d\n", seen, reports);
    free(block);
    return 0;
}
