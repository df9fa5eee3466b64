# photofinish run --detector=NAME: every detector under a running program.
. "$(dirname "$0")/lib.sh"
build ends ends.c -O1
library=$(dirname "$pfcc")/../lib/photofinish-generic

# all precise ones say the same, with both stacks, what the memory is, and who the threads are
for detector in $("$tool" detectors | awk '$0 ~ / precise;/ {print $1}'); do
    run run --detector=$detector --json=races.json ./ends
    exits 66
    prints "buffered"
    races 1
    json races.json detector "$detector"
    json races.json precise true
    json races.json races/0/kind write-write
    json races.json races/0/first/stack/0/function writer
    json races.json races/0/second/stack/0/function race
    json races.json races/0/location/kind global
    run run --detector=$detector ./ends clean
    exits 7
    complains "Photofinish: reported 0 warnings"
done
for way in exit-thread _exit quick_exit pthread_exit exec fork vfork child-races close-all; do
    run run --detector=vc ./ends $way
    exits 66
    races 1
done

# the earlier access is shown as it was, though only one of its bytes races
cat >part.c <<'END'
#include <pthread.h>
#include "unseen.h"
static volatile long whole;
static void *work(void *unused)
{
    (void)unused;
    whole = 1;
    unseen_signal(1);
    return NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    unseen_wait(1);
    ((volatile char *)&whole)[5] = 1;
    pthread_join(t, NULL);
    return 0;
}
END
build part ./part.c -O1 -I"$live/../programs"
run run --detector=vc --json=races.json ./part
exits 66
says "^  Write of size 1 at 0x[0-9a-f]*[5d] by main thread:$"
says "^  Previous write of size 8 at 0x[0-9a-f]*[08] by thread T1:$"

# which locks either access held; also after thousands of others, as nothing is overwritten
build locks locks.c -O1
for argument in "" many; do
    run run --detector=fasttrack ./locks $argument
    exits 66
    races 1
    says "^  Previous write of size 4 at 0x[0-9a-f]+ by thread T1 \(mutexes: write M1, read M2, write M3\):$"
    says "^  Mutex M2 is global 'shared'\.$"
done

# the first of many threads is remembered with its place
build distant distant.c -O1
run run --detector=djit ./distant
exits 66
races 1
says_not "failed to restore"

# a name that is none; a library that has not got it; a program that has no library
run run --detector=vectors ./ends
exits 64
complains "photofinish: run: no detector 'vectors' (photofinish detectors lists them)"
prints_nothing
PHOTOFINISH_OPTIONS=detector=vc start ./ends
exits 64
says "^photofinish: detector 'vc': this program runs with a runtime that has only fasttrack2 "
prints_nothing
build ends-static ends.c -O1 --pf-static
run run --detector=vc ./ends-static
exits 64
says "^photofinish: detector 'vc': .*only fasttrack2 .* --pf-static\)$"
run run ./ends-static
exits 66
LD_LIBRARY_PATH=$library PHOTOFINISH_OPTIONS=detector=vc start ./ends
exits 66
races 1
LD_LIBRARY_PATH=$library PHOTOFINISH_OPTIONS=detector=vectors start ./ends
exits 64
complains "photofinish: there is no detector 'vectors' (photofinish detectors lists them)"

# the options that the user has set stay as they are
PHOTOFINISH_OPTIONS=exitcode=9 run run --detector=vc ./ends
exits 9

# eraser sees locks and nothing else, and says so
cat >handed.c <<'END'
#include <pthread.h>
static volatile int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused)
{
    (void)unused;
    x = 1; /* ordered by create and join, protected by nothing */
    pthread_mutex_lock(&m);
    y++;
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    x = 0;
    pthread_create(&t[0], NULL, work, NULL);
    pthread_join(t[0], NULL);
    pthread_create(&t[1], NULL, work, NULL);
    pthread_join(t[1], NULL);
    return 0;
}
END
build handed ./handed.c -O1
run run --detector=vc ./handed
exits 0
run run --detector=eraser --json=races.json ./handed
exits 66
says "^WARNING: Photofinish: possible data race \(pid="
says "^  Imprecise: eraser checks a locking discipline, not happens-before; the two may be ordered\.$"
says "^SUMMARY: Photofinish: possible data race .*handed.c:7 in work$"
says "Location is global 'x'"
says_not "Location is global 'y'"
json races.json precise false
LD_LIBRARY_PATH=$library PHOTOFINISH_OPTIONS=detector=eraser start ./handed
exits 66
says "Imprecise: eraser"

verdict() { # PROGRAM STATUS: a program of tests/programs with eraser
    build "$1" "$live/../programs/$1.c" -O1 -I"$live/../programs"
    run run --detector=eraser "./$1"
    exits "$2"
}
verdict rwlock_norace 0
verdict cond_handoff_norace 0
verdict barrier_norace 66       # a false alarm: a barrier is no lock
verdict mutex_norace 66         # another: the main thread reads what it was left, without a lock, after joining
verdict mutex_different_race 0  # a miss: the first thread's access was to a variable that was its own until then

# thousands of threads that nobody joins: the first is not forgotten
cat >threads.c <<'END'
#include <pthread.h>
#include "unseen.h"
enum { THREADS = 5000 };
static volatile char own[THREADS];
static volatile int shared;
static void *work(void *number)
{
    own[(long)number] = 1;
    if (number == NULL)
        shared = 1;
    unseen_signal((int)(long)number + 1);
    return NULL;
}
static void *last(void *unused)
{
    (void)unused;
    shared = 2;
    return NULL;
}
int main(void)
{
    pthread_t t;
    for (long i = 0; i < THREADS; i++) {
        if (pthread_create(&t, NULL, work, (void *)i) != 0)
            return 3;
        pthread_detach(t);
        unseen_wait((int)i + 1);
    }
    pthread_create(&t, NULL, last, NULL);
    pthread_join(t, NULL);
    return 0;
}
END
build threads ./threads.c -O1 -I"$live/../programs"
for detector in vc fasttrack2l goldilocks; do
    run run --detector=$detector ./threads
    exits 66
    races 1
    says "^  Write of size 4 at 0x[0-9a-f]+ by thread T5001:$"
    says "^  Previous write of size 4 at 0x[0-9a-f]+ by thread T1:$"
    says "^  Thread T1 \(tid=[0-9]+, finished\) created by main thread at:$"
done

# nop finds nothing, and says that it does not look
run run --detector=nop ./ends
exits 64
says "^Photofinish: nothing was checked \(nop does nothing\)$"

# a program that gcc linked to its own runtime
command_line="gcc -fsanitize=thread" status=0
if echo 'int main(void){return 0;}' | gcc -fsanitize=thread -x c - -o probe 2>/dev/null; then
    gcc -fsanitize=thread -g -O1 -pthread "$live/ends.c" -o ends-tsan || fail "does not build"
    run run --detector=fasttrack ./ends-tsan
    exits 66
    races 1
fi
done_testing
