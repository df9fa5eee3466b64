/* A thread that the runtime has not seen created is first seen while somebody waits for its end: joined all the same.
 * And the next one, which has its handle. (A run with such a thread does not end with 0 by itself.)
 * environment: TSAN_OPTIONS=exitcode=0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "must.h"
#include "unseen.h"

static long written;

UNSEEN long system_call(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

/* The main thread's state, as "123 (name) S ...": it has nothing to wait for but the join. */
UNSEEN int main_sleeps(void)
{
    char text[64] = "";
    long fd = system_call(SYS_open, (long)"/proc/self/stat", O_RDONLY, 0);
    long size = system_call(SYS_read, fd, (long)text, sizeof text - 3);
    system_call(SYS_close, fd, 0, 0);
    for (long i = 0; i < size; i++)
        if (text[i] == ')')
            return text[i + 2] == 'S';
    return 0;
}

static __attribute__((noinline)) void write_it(void)
{
    written++;
}

static __attribute__((no_sanitize("thread"))) void *foreign(void *unused)
{
    while (!main_sleeps())
        unseen_yield();
    write_it();
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    must(libc != NULL);
    __typeof__(pthread_create) *create = (__typeof__(create))dlsym(libc, "pthread_create");
    for (int i = 0; i < 3; i++) {
        must(create(&thread, NULL, foreign, NULL) == 0);
        must(pthread_join(thread, NULL) == 0);
        written++;
    }
    must(written == 6);
    return 0;
}
