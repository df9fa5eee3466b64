# libc functions that touch the caller's memory: each row of the table, byte by byte; that they return what they return
# without us; and whose calls count.
. "$(dirname "$0")/lib.sh"

rows() { # FLAG...
    build rows "$live/libc/rows.c" -fno-builtin -Wno-deprecated-declarations -I"$live/../../src" "$@"
    PHOTOFINISH_OPTIONS=report_bugs=0:exitcode=0 start ./rows
    exits 0
    prints ", 0 wrong"
}

for compiler in gcc clang-19; do
    export PF_CC=$compiler
    rows -O0
    rows -O2
done
rows -O1 --pf-static

# the same results
unset PF_CC
for flags in "-O0 -fno-builtin" "-O2" "-O2 -D_FORTIFY_SOURCE=2" "-O1 --pf-static"; do
    for compiler in gcc clang-19; do
        # shellcheck disable=SC2086
        $compiler -w "$live/libc/results.c" ${flags% --pf-static} -o plain || fail "does not build"
        ./plain >expected </dev/null || fail "fails"
        # shellcheck disable=SC2086
        PF_CC=$compiler build results "$live/libc/results.c" -w $flags
        start ./results
        exits 0
        same_file expected .out
    done
done

# calls from a library that is not instrumented count only on request
cc -shared -fPIC -O1 -fno-builtin "$live/libc/plain_library.c" -o libplain.so || fail "does not build"
build calls "$live/libc/plain_calls.c" -O1 -I"$live/../programs" -L. -lplain -Wl,-rpath,"$PWD"
start ./calls
exits 0
complains_not
TSAN_OPTIONS=ignore_noninstrumented_modules=0 start ./calls
exits 66
races 1
start ./calls own
exits 66
races 1
says "#0 second .*/plain_calls.c:"
TSAN_OPTIONS=ignore_interceptors_accesses=1 start ./calls own
exits 0
complains_not
done_testing
