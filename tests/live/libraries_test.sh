# A race of which a library may be the cause that was not built with pfcc, and synchronizes by means of its own: the report
# says so, names the library, and does not deny locks that it may have.
. "$(dirname "$0")/lib.sh"

# A library with a lock, a queue of one place, and threads, all made of atomics and futexes.
cat >handoff.h <<'END'
void handoff_lock(int *lock);
void handoff_unlock(int *lock);
void handoff_put(void *item);
void *handoff_take(void);
void handoff_call(void (*function)(void));
void handoff_start(void (*function)(void));
void handoff_wait(void);
END
cat >handoff.c <<'END'
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "handoff.h"
void handoff_lock(int *lock)
{
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0)
        syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0);
}
void handoff_unlock(int *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
static void *place;
void handoff_put(void *item)
{
    __atomic_store_n(&place, item, __ATOMIC_RELEASE);
}
void *handoff_take(void)
{
    void *item;
    while ((item = __atomic_load_n(&place, __ATOMIC_ACQUIRE)) == 0)
        usleep(1000);
    return item;
}
void handoff_call(void (*function)(void))
{
    function();
    __asm__ volatile("");
}
static pthread_t thread[8];
static int threads;
static void *body(void *function)
{
    ((void (*)(void))function)();
    return 0;
}
void handoff_start(void (*function)(void))
{
    pthread_create(&thread[threads++], 0, body, (void *)function);
}
void handoff_wait(void)
{
    while (threads > 0)
        pthread_join(thread[--threads], 0);
}
END
cat >program.c <<'END'
#include <pthread.h>
#include <string.h>
#include "handoff.h"
int lock, counter, box;
static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
static void count(void)
{
    for (int i = 0; i < 100; i++) {
        handoff_lock(&lock);
        counter++;
        handoff_unlock(&lock);
    }
}
static void *count_in_thread(void *unused)
{
    count();
    return unused;
}
static void *called_in_thread(void *unused)
{
    handoff_call(count);
    return unused;
}
static void *take(void *unused)
{
    *(int *)handoff_take() = 2;
    return unused;
}
static void *take_locked(void *unused)
{
    int *item = handoff_take();
    pthread_mutex_lock(&mine);
    *item = 2;
    pthread_mutex_unlock(&mine);
    return unused;
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t other;
    if (strcmp(what, "pool") == 0) {
        handoff_start(count);
        handoff_start(count);
        handoff_wait();
        return counter != 200;
    }
    pthread_create(&other, NULL, strcmp(what, "call") == 0    ? called_in_thread
                                 : strcmp(what, "lock") == 0  ? count_in_thread
                                 : strcmp(what, "queue") == 0 ? take
                                                              : take_locked, NULL);
    if (strcmp(what, "call") == 0 || strcmp(what, "lock") == 0) {
        count();
    } else {
        box = 1;
        handoff_put(&box);
    }
    pthread_join(other, NULL);
    return 0;
}
END
command_line="gcc handoff.c" status=0
gcc -O1 -shared -fPIC handoff.c -o libhandoff.so.1 -Wl,-soname,libhandoff.so.1 || fail "does not build"
as_glib=(-Dhandoff_lock=g_mutex_lock -Dhandoff_unlock=g_mutex_unlock -Dhandoff_put=g_async_queue_push
    -Dhandoff_take=g_async_queue_pop -Dhandoff_start=g_thread_new)
gcc -O1 -shared -fPIC "${as_glib[@]}" handoff.c -o libglib-2.0.so.0 -Wl,-soname,libglib-2.0.so.0 || fail "does not build"
build program ./program.c -O1 -I. ./libhandoff.so.1 -Wl,-rpath,.
build with_glib ./program.c -O1 -I. "${as_glib[@]}" ./libglib-2.0.so.0 -Wl,-rpath,.
consequence='what it orders by means of its own is not seen\. If it orders these two accesses, this is a false alarm'

# it created the threads
run run --json=out.json --html out.html --sarif out.sarif ./program pool
exits 66
says "^    libhandoff\.so\.1, which was not built with pfcc, created thread T[12]: $consequence"
says "^    Neither held a lock that is seen, and nothing else that is seen orders the access of "
says_not "Neither held a lock,|held no lock|no lock[:;,]|unlocked counter|has released nothing since"
json out.json races/0/unseen_library libhandoff.so.1
json out.json races/0/sentences/0 "libhandoff\.so\.1, which was not built with pfcc, created .*"
json out.json races/0/explain "libhandoff\.so\.1, which was not built with pfcc, created .*"
json out.json races/0/shape null
for file in out.html out.sarif; do
    checks=$((checks + 1))
    grep -qF "libhandoff.so.1, which was not built with pfcc, created thread" "$file" || fail "$file does not say so"
done
run report out.json
prints "    libhandoff.so.1, which was not built with pfcc, created thread T"
start ./program pool # without photofinish run
exits 66
says "^    libhandoff\.so\.1, which was not built with pfcc, created thread T[12]: $consequence"

# it called the code
run run --json=out.json ./program call
exits 66
says "^    libhandoff\.so\.1, which was not built with pfcc, is on a stack of this race: $consequence"
json out.json races/0/unseen_library libhandoff.so.1

# it has no part in it that shows: an unknown library is named if its functions' names speak of locks or queues
for way in queue lock; do
    run run --json=out.json ./program $way
    exits 66
    json out.json races/0/unseen_library libhandoff.so.1
    says "^    The program uses locks or queues of libhandoff\.so\.1, which was not built with pfcc: $consequence"
    says "^    Neither held a lock that is seen, and nothing else that is seen orders the access of "
    says_not "unlocked counter|neither thread held a lock"
done
other_names=(-Dhandoff_lock=handoff_enter -Dhandoff_unlock=handoff_leave)
gcc -O1 -shared -fPIC "${other_names[@]}" handoff.c -o libother.so.1 -Wl,-soname,libother.so.1 || fail "does not build"
build other_names ./program.c -O1 -I. "${other_names[@]}" ./libother.so.1 -Wl,-rpath,.
run run --json=out.json ./other_names queue
exits 66
json out.json races/0/unseen_library null
says_not "not built with pfcc"

# and if its locks are not libc's, which are seen
cat >locks.c <<'END'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void its_lock(void) { pthread_mutex_lock(&mutex); }
void its_unlock(void) { pthread_mutex_unlock(&mutex); }
END
cat >locked.c <<'END'
#include <pthread.h>
void its_lock(void);
void its_unlock(void);
int counter, locked;
static void *count(void *unused)
{
    counter++;
    its_lock();
    locked++;
    its_unlock();
    return unused;
}
int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, count, NULL);
    counter++; /* not after its_lock() */
    pthread_join(other, NULL);
    return 0;
}
END
gcc -O1 -shared -fPIC locks.c -o liblocks.so.1 -Wl,-soname,liblocks.so.1 || fail "does not build"
build locked ./locked.c -O1 ./liblocks.so.1 -Wl,-rpath,.
run run --json=out.json ./locked
exits 66
json out.json races/0/unseen_library null
says_not "that is seen"

# a known library is named for more: threads, event loops
run run --json=out.json ./with_glib queue
exits 66
json out.json races/0/unseen_library libglib-2.0.so.0
says "^    The program uses libglib-2\.0\.so\.0 \(GLib\), which was not built with pfcc: $consequence"
says "^    Neither held a lock that is seen, and nothing else that is seen orders the access of "
says "^Photofinish: libglib-2\.0\.so\.0 is not instrumented, and how GLib orders threads is not seen: "
run run ./with_glib lock
exits 66
says "^    Neither held a lock that is seen, "
says_not "unlocked counter|neither thread held a lock"
run run --json=out.json ./with_glib locked
exits 66
says "^    The main thread held no lock that is seen, thread T1 held M1 \(mine\); nothing else that is seen orders them\.$"
says_not "lock not taken|held no lock[,;]"

# nor does it matter that the library is in the program itself
gcc -O1 -fPIC -c "${as_glib[@]}" handoff.c -o handoff_glib.o || fail "does not build"
ar rcs libstatic.a handoff_glib.o
build with_static ./program.c -O1 -I. "${as_glib[@]}" ./libstatic.a
for way in pool queue lock; do
    run run --json=out.json ./with_static $way
    exits 66
    json out.json races/0/unseen_library GLib
    says "^    with_static contains GLib, linked statically: unless that was built with pfcc, too, $consequence"
    says "^    Neither held a lock that is seen, and nothing else that is seen orders the access of "
    says_not "Neither held a lock,|held no lock|unlocked counter|neither thread held a lock"
done
build with_static.so ./program.c -O1 -I. "${as_glib[@]}" -shared -fPIC -Dmain=run ./libstatic.a
echo 'int run(int argc, char **argv); int main(int argc, char **argv) { return run(argc, argv); }' >runs.c
build runs ./runs.c ./with_static.so -Wl,-rpath,.
run run ./runs lock
exits 66
says "^    with_static\.so contains GLib, linked statically: "

# libomp with the tool that tells how it orders threads is seen
gcc -O1 -shared -fPIC handoff.c -o libomp.so.5 -Wl,-soname,libomp.so.5 || fail "does not build"
echo 'int told;' >told.c
gcc -shared -fPIC told.c -o libarcher.so -Wl,-soname,libarcher.so || fail "does not build"
build with_omp ./program.c -O1 -I. ./libomp.so.5 -Wl,-rpath,.
build with_archer ./program.c -O1 -I. ./libomp.so.5 -Wl,-rpath,. -Wl,--no-as-needed ./libarcher.so
run run --json=out.json ./with_omp pool
exits 66
json out.json races/0/unseen_library libomp.so.5
says "^Photofinish: libomp\.so\.5 is not instrumented, and how OpenMP orders threads is not seen: "
run run --json=out.json ./with_archer pool
exits 66
json out.json races/0/unseen_library null
says_not "is not instrumented|that is seen"

# a block that the library has handed over, and one thread frees
cat >frees.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include "handoff.h"
static void *take(void *unused)
{
    free(handoff_take());
    return unused;
}
int main(void)
{
    pthread_t other;
    int *block = malloc(sizeof *block);
    pthread_create(&other, NULL, take, NULL);
    *block = 1;
    handoff_put(block);
    pthread_join(other, NULL);
    return 0;
}
END
build frees ./frees.c -O1 -I. "${as_glib[@]}" ./libglib-2.0.so.0 -Wl,-rpath,.
run run ./frees
exits 66
says "freed in use\): thread T1 frees the memory, and nothing that is seen tells it that the main thread is done with it: "

# with nothing but libc and the C++ library there is nothing to say
cat >own.cpp <<'END'
#include <mutex>
#include <string>
#include <thread>
int counter;
static void count() { counter++; }
int main()
{
    std::thread one(count), two(count);
    one.join();
    two.join();
    return std::string("x").size() != 1;
}
END
build own ./own.cpp -O1
run run --json=out.json ./own
exits 66
json out.json races/0/unseen_library null
says_not "not built with pfcc|that is seen"
says "unlocked counter"

# nor where a known one is there that the program does not use, or not to order threads
cat >calls.c <<'END'
#include "handoff.h"
static void nothing(void) {}
__attribute__((constructor)) static void begin(void) { handoff_call(nothing); }
END
gcc -O1 -shared -fPIC -I. "${as_glib[@]}" handoff.c -o libuser.so.1 -Wl,-soname,libuser.so.1 ./libglib-2.0.so.0 || fail "does not build"
build calls.o ./calls.c -O1 -I. -c
build merely ./own.cpp -O1 calls.o -Wl,--no-as-needed ./libglib-2.0.so.0 ./libuser.so.1 -Wl,-rpath,.
run run --json=out.json ./merely
exits 66
json out.json races/0/unseen_library null
says_not "was not built with pfcc|that is seen"
says "unlocked counter"

# nor where the library is instrumented
build libhandoff.so.1 ./handoff.c -O1 -I. -shared -fPIC -Wl,-soname,libhandoff.so.1
run run ./program pool
exits 0
done_testing
