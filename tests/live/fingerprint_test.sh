# A fingerprint tells two races apart, and stays the same while other code of the file changes: lambdas and static local
# variables, which compilers know by numbers.
. "$(dirname "$0")/lib.sh"
cat >before.cpp <<'END'
#include <thread>
template <class F> static void twice(F f) { std::thread a(f), b(f); a.join(); b.join(); }
static void count() { static int number; number++; }
static void one()
{
    int here = 0, there = 0;
    twice([&] { here++; });
    twice([&] {
        there++;
    });
}
static void two()
{
    int here = 0;
    twice([&] { here++; });
    twice([] { count(); });
}
int main()
{
    one();
    two();
}
END
sed 's/^static void one/static void first() { static int number; auto f = [] { number += 2; }; f(); }\nauto second = [] { first(); };\n\n&/
     s/^    twice(\[&\] {$/    auto third = [] { second(); }; third(); twice([\&] {/' before.cpp >after.cpp

prints_of() { # SOURCE FLAG...: a line a race, sorted
    mkdir -p "${1%.cpp}"
    cp "$1" "${1%.cpp}/same.cpp"
    build program "./${1%.cpp}/same.cpp" "${@:2}"
    PHOTOFINISH_OPTIONS=suppress_equal_addresses=0 run run --json=all.json ./program
    exits 66
    for ((i = 0; i < $("$json_at" all.json races); i++)); do "$json_at" all.json races/$i/fingerprint; done | sort -u
}
for compiler in g++ clang++-19; do
    for level in -O0 -O1 -O2; do
        PF_CXX=$compiler prints_of before.cpp $level >before.prints
        PF_CXX=$compiler prints_of after.cpp $level >after.prints
        checks=$((checks + 1))
        [ "$(wc -l <before.prints)" -eq 4 ] || fail "$compiler $level: four races have $(wc -l <before.prints) fingerprints"
        same_file before.prints after.prints
    done
done

# of two folders, of another position, with link-time optimization
cat >local.c <<'END'
#include <pthread.h>
static void *count(void *x) { static int number; number++; return x; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    return pthread_join(b, 0);
}
END
mkdir -p more
sed 's/^static void/int first(void) { static int number; return number++; }\n&/' local.c >more/local.c
for flags in -O1 '-O1 -flto'; do
    build local ./local.c $flags
    build local2 ./more/local.c $flags
    run run --json=one.json ./local
    run run --json=two.json ./local2
    json two.json races/0/fingerprint "$("$json_at" one.json races/0/fingerprint)"
done

# accesses that are all libstdc++'s: no frame of the program is in either stack, and still two strings are two
cat >strings.cpp <<'END'
#include <atomic>
#include <iostream>
#include <string>
#include <thread>
static std::atomic<int> ready{0};
static std::string name, address;
int main()
{
    std::thread t([] {
        name = "a name that is long enough to be on the heap";
        address = "an address that is long enough to be on the heap";
        ready.store(1, std::memory_order_relaxed);
    });
    while (!ready.load(std::memory_order_relaxed))
        std::this_thread::yield();
    std::cout << WHICH;
    t.join();
}
END
for which in name address; do
    build $which ./strings.cpp -O1 -DWHICH=$which
    run run --json=$which.json ./$which
    exits 66
    run run --json=again.json ./$which
    json again.json races/0/fingerprint "$("$json_at" $which.json races/0/fingerprint)"
done
[ "$("$json_at" name.json races/0/fingerprint)" != "$("$json_at" address.json races/0/fingerprint)" ] || fail "two strings have one fingerprint"
run run --baseline=name.json ./name
exits 0
run run --baseline=name.json ./address
exits 66
done_testing
