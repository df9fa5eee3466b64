# __interceptor_NAME: what a program calls that has a NAME of its own in front of ours.
. "$(dirname "$0")/lib.sh"

# every function that we stand in front of has it, in the library and in the archive
libraries=$(dirname "$tool")/../lib/photofinish
exported() { nm -D --defined-only "$1" | awk '$2 ~ /[TWi]/ { sub(/@.*/, "", $3); print $3 }' | sort -u; }
exported "$libraries/libphotofinish.so.0" >ours
nm --defined-only "$libraries/libphotofinish.a" | awk '{ print $3 }' | sort -u >archived
for library in libc.so.6 libm.so.6 libstdc++.so.6 libgcc_s.so.1; do
    exported "$(gcc -print-file-name="$library")"
done | sort -u >real
command_line="nm" status=0
comm -12 ours real >intercepted
checks=$((checks + 1))
[ "$(wc -l <intercepted)" -gt 500 ] || fail "few functions are intercepted"
while read -r name; do
    checks=$((checks + 1))
    grep -qxF "__interceptor_$name" ours || fail "the runtime does not export __interceptor_$name"
    grep -qxF "__interceptor_$name" archived || fail "the archive lacks __interceptor_$name"
done <intercepted

cat >program.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__interceptor_malloc(size_t size);
void __interceptor_free(void *block);
int __interceptor_pthread_mutex_lock(pthread_mutex_t *mutex);
int __interceptor_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __interceptor_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                                 void *argument);
ssize_t __interceptor_read(int fd, void *buffer, size_t size);
void *__interceptor_memcpy(void *to, const void *from, size_t size);

static int mallocs, frees, locks, unlocks, creates, reads;
#define COUNT(what) __atomic_fetch_add(&what, 1, __ATOMIC_RELAXED)

void *malloc(size_t size)
{
    COUNT(mallocs);
    return __interceptor_malloc(size);
}
void free(void *block)
{
    COUNT(frees);
    __interceptor_free(block);
}
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    COUNT(locks);
    return __interceptor_pthread_mutex_lock(mutex);
}
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    COUNT(unlocks);
    return __interceptor_pthread_mutex_unlock(mutex);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    COUNT(creates);
    return __interceptor_pthread_create(thread, attributes, function, argument);
}
ssize_t read(int fd, void *buffer, size_t size)
{
    COUNT(reads);
    return __interceptor_read(fd, buffer, size);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];
int counter, *block;

static void *locked(void *unused)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}
static void *piped(void *unused)
{
    char byte;
    if (read(ends[0], &byte, 1) == 1)
        *block = 2;
    return unused;
}
static void *racing(void *unused)
{
    __interceptor_memcpy(&counter, &(int){7}, sizeof counter);
    return unused;
}
int main(int count, char **argv)
{
    pthread_t thread[2];
    (void)count;
    void *(*function)(void *) = strcmp(argv[1], "lock") == 0 ? locked : strcmp(argv[1], "pipe") == 0 ? piped : racing;
    if (pipe(ends) != 0)
        return 1;
    block = malloc(sizeof *block);
    pthread_create(&thread[0], NULL, function, NULL);
    *block = 1;
    if (function == piped && write(ends[1], "x", 1) != 1)
        return 1;
    if (function != piped) {
        pthread_create(&thread[1], NULL, function, NULL);
        pthread_join(thread[1], NULL);
    }
    pthread_join(thread[0], NULL);
    free(block);
    printf("mallocs %d frees %d locks %d unlocks %d creates %d reads %d\n", mallocs > 0, frees > 0, locks, unlocks,
           creates, reads);
    return 0;
}
END
for flags in "" --pf-static; do
    build program ./program.c -O1 -fno-builtin $flags
    start ./program lock
    exits 0
    prints "mallocs 1 frees 1 locks 2 unlocks 2 creates 2 reads 0"
    start ./program pipe
    exits 0
    prints "mallocs 1 frees 1 locks 0 unlocks 0 creates 1 reads 1"
    start ./program race
    exits 66
    races 1
done
done_testing
