# photofinish record leaves out what was accessed before in the same epoch, in the program's own code (runtime/host/hints.h),
# or by whole rows (runtime/host/rows.h): and nothing else.
. "$(dirname "$0")/lib.sh"

each_race() { # PROGRAM: as many as it finds itself, which are all that it has
    run run "$1"
    exits 66
    local count
    count=$(grep -c '^WARNING: Photofinish: data race' .err)
    for dedupe in yes no; do
        run record --quiet --dedupe=$dedupe -o t.pft "$1"
        exits 0
        run analyze t.pft
        exits 1
        prints "SUMMARY: Photofinish: $count data race"
    done
}

for compiler in ${COMPILERS:-gcc clang-19}; do
    command -v $compiler >/dev/null || continue
    export PF_CC=$compiler
    for level in -O0 -O2; do
        build each "$live/../programs/hint_each_race.c" $level
        each_race ./each
    done
    build early "$live/../programs/hint_early_race.c" -O2
    each_race ./early
    build fiber "$live/../programs/hint_fiber_race.c" -O2
    each_race ./fiber

    build rows rows.c -O1
    each_race ./rows

    # A thread that nobody has seen created: others release to it.
    build foreign foreign.c -O1
    for way in "" fiber; do
        # shellcheck disable=SC2086
        run record --quiet -o t.pft ./foreign $way
        exits 64
        run analyze t.pft
        exits 1
        prints "SUMMARY: Photofinish: 1 data race on 1 variable"
    done

    # Something comes between, anywhere: a handler does so where there is a debugger, or where signals come all the time.
    build stepped stepped.c -O1
    for way in "signal 0" "clear 0" "foreign 64"; do
        rm -f t-*.pft
        run record --quiet -o "t-%p.pft" ./stepped "${way% *}"
        exits "${way#* }"
        count=$(cat .out)
        [ "$count" -gt 20 ] || fail "only $count instructions"
        for trace in t-*.pft; do
            "$tool" analyze "$trace"
        done >.out
        prints "SUMMARY: Photofinish: $count data races"
    done
done
done_testing
