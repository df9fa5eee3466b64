# rustc -C linker=pfcc: a program of Rust and instrumented C has the runtime. rustc names all libraries itself
# (-nodefaultlibs), and gcc then leaves its own out.
. "$(dirname "$0")/lib.sh"
cat >race.c <<'C'
#include <pthread.h>
#include "unseen.h"
int race(void);
static int shared;
static void *other(void *unused)
{
    shared++;
    unseen_signal(1);
    return unused;
}
int race(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    unseen_wait(1);
    shared++;
    pthread_join(t, 0);
    return shared;
}
C
has_race() {
    start "$1"
    exits 66
    races 1
    says "#0 (race|other) .*/race.c:[0-9]+"
    prints "2"
}

# as rustc calls its linker
echo 'int race(void); int printf(const char *, ...); int main(void) { return printf("%d\n", race()) != 2; }' >main.c
gcc -c -fPIC main.c -o main.o || fail "main.c does not compile"
line=(-m64 main.o race.o -Wl,--as-needed -Wl,-Bstatic -Wl,-Bdynamic -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
    -Wl,--eh-frame-hdr -Wl,-z,noexecstack -L "$PWD" -o program -Wl,--gc-sections -pie -Wl,-z,relro,-z,now)
for compiler in gcc clang-19; do
    export PF_CC=$compiler
    "$pfcc" -g -O1 -I"$live/../programs" -c race.c -o race.o || fail "race.c does not compile"
    for mode in "-nodefaultlibs" "-nodefaultlibs --pf-static"; do
        start "$pfcc" "${line[@]}" $mode
        exits 0
        has_race ./program
        rm program
    done
    start "$pfcc" -shared -fPIC race.o -lc -lgcc_s -nostdlib -o librace.so
    exits 0
done
unset PF_CC

if ! command -v rustc >/dev/null; then
    echo "NOT TESTED: rustc itself (it is not installed)"
    done_testing
    exit
fi
ar rcs librace.a race.o
cat >program.rs <<'RUST'
#[link(name = "race", kind = "static")]
extern "C" {
    fn race() -> i32;
}
fn main() {
    let one = std::thread::spawn(|| 1);
    println!("{}", one.join().unwrap() * unsafe { race() });
}
RUST
for compiler in gcc clang-19; do
    for mode in "" "-C link-arg=--pf-static" "-C prefer-dynamic -C rpath"; do
        PF_CC=$compiler start rustc -g -L . -C linker="$pfcc" $mode program.rs -o program
        exits 0
        has_race ./program
        says "Rust's standard library" # whose locks are not seen
        rm program
    done
done
done_testing
