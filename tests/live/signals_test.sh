# The program's signals are its own, with both compilers, and whichever way the runtime is linked.
. "$(dirname "$0")/lib.sh"

command_line="gcc signals.c" status=0
gcc -w -pthread "$live/signals.c" -o plain 2>.err || fail "does not build"
timeout "$(limit 60)" ./plain >expected
for compiler in gcc clang-19; do
    for flags in -O0 -O2 "-O1 --pf-static"; do
        PF_CC=$compiler build signals signals.c -w $flags
        start timeout "$(limit 60)" ./signals
        exits 0
        complains_not
        same_file .out expected
    done
done
done_testing
