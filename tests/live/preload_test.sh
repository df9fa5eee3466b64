# Another sanitizer's runtime in the same process: one line, and no result that looks like one.
. "$(dirname "$0")/lib.sh"
build ends ends.c -O1
build ends-static ends.c -O1 --pf-static
PF_CC=clang-19 build ends-clang ends.c -O1
line() { echo "photofinish: $1 is loaded into this program, too (by LD_PRELOAD?): Photofinish cannot work together with another sanitizer"; }
found=0
for name in libtsan.so libasan.so liblsan.so libclang_rt.tsan-x86_64.so libclang_rt.asan-x86_64.so; do
    compiler=gcc
    [[ $name == libclang* ]] && compiler=clang-19
    library=$($compiler -print-file-name=$name)
    if [ ! -e "$library" ]; then
        echo "NOT TESTED: $name is not installed"
        continue
    fi
    found=$((found + 1))
    soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    library=$(realpath "$library")
    cp "$library" renamed.so # known by what it is, not by where it lies
    for program in ./ends ./ends-static ./ends-clang; do
        for preload in "$library" "$PWD/renamed.so"; do
            start env LD_PRELOAD="$preload" $program
            exits 64
            complains "$(line "$soname")"
            prints_nothing
        done
        start "$tool" run --json=out.json env LD_PRELOAD="$library" $program
        exits 64
        complains "$(line "$soname")
Photofinish: nothing was checked (a process was refused, and said why)"
        [ ! -e out.json ] || fail "a report of nothing"
    done
    start "$tool" record -o out.pft env LD_PRELOAD="$library" ./ends
    exits 64
    complains "$(line "$soname")"
done
[ $found -ge 2 ] || fail "gcc's libtsan and libasan are not here"

# our own library by the name that gcc's programs ask for; one that is no runtime of that kind; none
gcc -fsanitize=thread -g -O1 -I"$live/../programs" "$live/ends.c" -o ends-gcc -pthread || fail "gcc does not build it"
run run ./ends-gcc
exits 66
races 1
start env LD_PRELOAD="$(dirname "$pfcc")/../lib/photofinish/libtsan.so.2" ./ends
exits 66
races 1
start ./ends
exits 66
done_testing
