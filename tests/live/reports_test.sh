# What reports say: both stacks, inlined calls, names, what the memory is; for every kind of build.
. "$(dirname "$0")/lib.sh"
build libplace.so library.c -O2 -shared -fPIC

both_stacks() { # FUNCTION: innermost of both accesses
    [ "$(grep -cE "^    #0 $1 .*:[0-9]+ \(" .err)" -ge 2 ] || fail "not both accesses in $1"
    checks=$((checks + 1))
}

shapes() { # COMPILER FLAG...: what must hold for every build with debug information
    PF_CXX=$1 build places places.cpp "${@:2}" ./libplace.so -Wl,-rpath,.
    start ./places method
    exits 66
    races 1
    both_stacks 'bank::Account::deposit\(int\)'
    says "Location is global 'bank::account' of size 4 at 0x[0-9a-f]+ \(places\+0x[0-9a-f]+\)"
    says "^  Thread T1 'other one' \(tid=[0-9]+, running\) created by main thread at:$"
    says "^SUMMARY: Photofinish: data race .*/places.cpp:[0-9]+ in bank::Account::deposit\(int\)$"
    start ./places template
    exits 66
    both_stacks 'void bank::store<int>\(int\*, int\)'
    start ./places inlined
    exits 66
    says "^    #0 innermost(\(int\*\))? .*/places.cpp:[0-9]+ "
    says "^    #1 middle(\(int\*\))? .*/places.cpp:[0-9]+ "
    says "Location is global 'table' of size 256 "
    start ./places library
    exits 66
    says "^    #0 inside .*/library.c:[0-9]+ \(libplace.so\+0x"
    says "^    #1 library_write .*/library.c:[0-9]+ \(libplace.so\+0x"
    says "Location is global 'plain_global' of size 4 "
}
shapes g++ -O0
shapes g++ -O2 -no-pie
shapes clang++-19 -O2 -no-pie
shapes clang++-19 -O0
shapes clang++-19 -O2 -gsplit-dwarf
shapes g++ -O2 -gdwarf-4

# functions of the same code stay two: a report names the one that was called
cat >same_code.c <<'END'
#include <pthread.h>
int data[16];
__attribute__((noinline)) static void deposit(int *at) { for (int i = 0; i < 4; i++) at[i] += i; }
__attribute__((noinline)) static void withdraw(int *at) { for (int i = 0; i < 4; i++) at[i] += i; }
static void *run(void *unused) { withdraw(data); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    deposit(data);
    pthread_join(thread, NULL);
    return 0;
}
END
for compiler in gcc clang-19; do
    PF_CC=$compiler build same_code ./same_code.c -O2
    start ./same_code
    exits 66
    says "^    #0 deposit .*/same_code.c:3 "
    says "^    #0 withdraw .*/same_code.c:4 "
done

# accesses and locks inside the system's headers: one line names the program's own that led there
cat >header.cpp <<'END'
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>
#include "../programs/unseen.h"
static std::vector<int> numbers;
static std::shared_mutex mutex;
static void adds_locked()
{
    std::unique_lock<std::shared_mutex> lock(mutex);
    numbers.push_back(1);
}
int main()
{
    numbers.reserve(10);
    std::thread t([] { adds_locked(); unseen_signal(1); });
    unseen_wait(1);
    numbers.push_back(2);
    t.join();
}
END
for built in "g++ -O0" "g++ -O2" "clang++-19 -O1"; do
    PF_CXX=${built% *} build header ./header.cpp ${built#* } -std=c++17 -I"$live"
    run run --html=header.html ./header
    exits 66
    says "^    #0 .* /usr/.*include/.*:[0-9]+ "
    says "^SUMMARY: Photofinish: data race .*/header.cpp:18 in main$"
    says "^    >    11 \|     numbers.push_back\(1\);$"
    says "^    >    18 \|     numbers.push_back\(2\);$"
    says "^    Thread T1 unlocked M1 \(mutex\) at header.cpp:12 after its "
    says_not "What usually fixes this \(unlocked counter\)"
    run run --quiet ./header
    says "^SUMMARY: Photofinish: data race .*/header.cpp:18 in main$"
done

# the rest with the last of these
build places places.cpp -O2 ./libplace.so -Wl,-rpath,.
start ./places heap
exits 66
says "^  Location is heap block of size 80 at 0x[0-9a-f]+ allocated by main thread:$"
grep -A1 "allocated by main thread" .err | grep -qE "^    #0 main .*/places.cpp:[0-9]+ " || fail "no allocation stack"
start ./places stack
says "^  Location is stack of main thread\.$"
start ./places thread-stack
says "^  Location is stack of thread T1\.$"
start ./places tls
says "^  Location is TLS of main thread\.$"
start ./places held
says "^  Write of size 4 at 0x[0-9a-f]+ by main thread \(mutexes: write M1\):$"
says "^  Mutex M1 \(0x[0-9a-f]+\) created at:$"
says "^  Mutex M1 is global 'guard'\.$"
start ./places free
exits 66
says "^  Write of size 80 at 0x[0-9a-f]+ by main thread:$"
says "^    #0 free <null>"
says "^  Previous write of size 4 at 0x[0-9a-f]+ by thread T1:$"
says "Location is heap block of size 80 at 0x"
start ./places atomic
says "^  Atomic write of size 4 |^  Previous atomic write of size 4 "

# the grammar, line by line
start ./places global
sed -E 's/0x[0-9a-f]+/ADDR/g; s/ +[0-9]+ \|/ N |/; s/[0-9]+/N/g; s|/[^ ]*/||g' .err >shape
cat >expected <<'END'
==================
WARNING: Photofinish: data race (pid=N)
  Write of size N at ADDR by main thread:
    #N direct(int*) places.cpp:N (places+ADDR)
    #N race(int*, void (*)(int*)) places.cpp:N (places+ADDR)
    #N main places.cpp:N (places+ADDR)

 N | {
    > N |     *p = N;
 N | }

  Previous write of size N at ADDR by thread TN:
    #N direct(int*) places.cpp:N (places+ADDR)
    #N other(void*) places.cpp:N (places+ADDR)

 N | {
    > N |     *p = N;
 N | }

  Location is global 'plain_global' of size N at ADDR (places+ADDR)

  Why nothing orders them:
    Neither held a lock, and nothing else orders the access of the main thread after that of thread TN.
    Thread TN has released nothing since its write.
    Nothing that thread TN did had reached the main thread.

  Thread TN 'other one' (tid=N, running) created by main thread at:
    #N race(int*, void (*)(int*)) places.cpp:N (places+ADDR)
    #N main places.cpp:N (places+ADDR)

SUMMARY: Photofinish: data race places.cpp:N in direct(int*)
==================
Photofinish: reported N warning
END
same_file shape expected

# one report for a pair of stacks, however often it races
start ./places loop
exits 66
races 1

# both stacks, with millions of accesses between
build distant distant.c -O1
start ./distant
exits 66
races 1
says "^    #0 first_write .*/distant.c:[0-9]+ "
says "^    #1 begins .*/distant.c:[0-9]+ "
says "^    #0 second_write .*/distant.c:[0-9]+ "

# bytes of one word, accessed at different places: each access keeps its own
for compiler in gcc clang-19; do
    PF_CC=$compiler build neighbours neighbours.c -O1
    start ./neighbours
    exits 66
    races 2
    for place in first again_first fifth again_fifth; do
        says "^    #0 $place .*/neighbours.c:[0-9]+ "
    done
    says_not "#0 (second|third|fourth)"
    says "^    #1 word .*/neighbours.c:[0-9]+ "
    says "^    #2 writer .*/neighbours.c:[0-9]+ "
done

# a copy of which some words had been read before: the others are its own
for compiler in gcc clang-19; do
    PF_CC=$compiler build done_words done_words.c -O1
    start ./done_words
    exits 66
    races 1
    says "^  Previous read of size 12 at 0x[0-9a-f]+ by thread T1:$"
    says "^    #[01] copies .*/done_words.c:[0-9]+ "
done

# stripped: modules and offsets, which addr2line understands where the debug information is
strip -o bare places
start ./bare global
exits 66
races 1
says "^    #0 <null> <null> \(bare\+0x[0-9a-f]+\)$"
says "Location is global '<null>' at 0x[0-9a-f]+ \(bare\+0x[0-9a-f]+\)"
offset=$(sed -nE 's/^    #0 .*\(bare\+(0x[0-9a-f]+)\)$/\1/p' .err | head -1)
addr2line -f -e places "$offset" | grep -q "places.cpp:" || fail "offset $offset means nothing"
# ... and with the debug information in a file of its own
objcopy --only-keep-debug places places.debug
strip -o linked places && objcopy --add-gnu-debuglink=places.debug linked
start ./linked global
both_stacks 'direct\(int\*\)'

# a library that is gone by the time of the report
cp libplace.so libgone.so
PF_CXX=g++ build gone places.cpp -O2 ./libgone.so -Wl,-rpath,. -Wl,--unresolved-symbols=ignore-all
start sh -c 'rm -f libgone.so; cp libplace.so libgone.so; exec ./gone library'
exits 66
races 1
# where it is hard to tell: a std::thread that inlined code creates, mapped memory, a lock that is first locked for reading
for level in -O0 -O2; do
    build whereabouts whereabouts.cpp $level
    start ./whereabouts
    exits 66
    races 1
    grep -A8 "^  Thread T1 .* created by main thread at:$" .err >.created
    grep -qE "^    #[0-9] start_and_write.* /.*/whereabouts.cpp:[0-9]+ " .created || fail "no frame of the program's"
    says "^  Location is mapped memory of size [0-9]+ at 0x[0-9a-f]+ \(anonymous\)$"
    grep -A1 "^  Mutex M1 (0x[0-9a-f]*) created at:$" .err | grep -q "#0 write_first" || fail "the lock has no creation"
    start ./whereabouts file
    says "^  Location is mapped memory of size 4096 at 0x[0-9a-f]+ \($PWD/file\)$"
    run run --json=out.json ./whereabouts file
    json out.json races/0/location/kind mapped
    json out.json races/0/location/file "$PWD/file"
    json out.json races/0/location/size 4096
    json out.json races/0/threads/0/created_by null
    json out.json races/0/threads/1/created_by main
    json out.json races/0/explain 'Thread T1 held M1 \(lock\), the main thread held no lock; nothing else orders them\..*'
done
# memory that was moved: the earlier access was made where it had been
for kind in map_moved map_moved_atomic map_moved_bytes; do
    build moved "$live/../programs/${kind}_race.c" -O1
    start ./moved
    exits 66
    races 1
    says_not "failed to restore the stack"
    grep -A1 "^  Previous .* of size [148] at " .err | grep -qE "#0 first .*/${kind}_race.c:1[23] " || fail "no stack of the earlier access"
done
# an access that was made just now: its stack is waited for
for type in int char; do
    build just_made just_made.c -O1 -DTYPE=$type --placement=every # the read of ++, and the write
    PHOTOFINISH_OPTIONS="suppress_equal_addresses=0 suppress_equal_stacks=0" start ./just_made 1000
    exits 66
    races 2000
    says_not "failed to restore the stack"
done
# the stack is the access' own, also where the same place was called by another function just before; and so is the size
for compiler in gcc clang-19; do
    PF_CC=$compiler build callers callers.c -O2
    start ./callers
    exits 66
    races 1
    says "^    #0 put .*/callers.c:[0-9]+ "
    says "^    #1 once .*/callers.c:[0-9]+ "
    start ./callers halves
    exits 66
    says "^  Previous read of size 2 at "
    # of a loop that was checked as a whole, the element and its line
    PF_CC=$compiler build elements elements.c -O2
    start ./elements
    exits 66
    races 1
    says "^  Read of size 8 at "
    says "^    #0 sum .*/elements.c:12 "
    says "^    #1 reader .*/elements.c:19 "
    says "^  Location is global 'element' of size 8000 .*, 4000 bytes into it$"
done

# a thread that ended long ago, and whose struct another thread uses, keeps its number, its name and its creation
cat >ended.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void *make(void *unused) { pthread_setname_np(pthread_self(), "maker"); return unused != NULL ? unused : malloc(16); }
static void *give(void *block) { pthread_setname_np(pthread_self(), "giver"); free(block); return block; }
static void *use(void *block) { *(int *)block = 1; return block; }
static void *after(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, argument);
    pthread_join(thread, &argument);
    return argument;
}
int main(int argc, char **argv)
{
    pthread_t one, other;
    void *block = after(make, NULL);
    if (argc > 1 && strcmp(argv[1], "freed") == 0)
        after(give, block);
    pthread_create(&one, NULL, use, block);
    pthread_create(&other, NULL, use, block);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
END
build ended ./ended.c -O1
for detector in fasttrack2 vc; do
    run run --detector=$detector --json ended.json --html ended.html ./ended
    exits 66
    says "^  Location is heap block of size 16 at 0x[0-9a-f]+ allocated by thread T1:$"
    says "^  Thread T1 'maker' \(tid=[0-9]+, finished\) created by main thread at:$"
    json ended.json races/0/location/thread T1
    json ended.json races/0/threads/2/name maker
    json ended.json races/0/threads/2/created_by main
    grep -q maker ended.html || fail "the page does not name the thread"
    run run --detector=$detector --json ended.json ./ended freed
    exits 66
    says "^  Location is heap block of size 16 at 0x[0-9a-f]+ allocated by thread T1:$"
    says "^  The block was freed by thread T2:$"
    says "^  Thread T2 'giver' \(tid=[0-9]+, finished\) created by main thread at:$"
    json ended.json races/0/location/freed_by T2
done
done_testing
