# Ranges of memory that cannot be: the kernel refuses them, as without us, and nothing waits.
. "$(dirname "$0")/lib.sh"

command_line="gcc bad_ranges.c" status=0
gcc -w "$live/bad_ranges.c" -o plain 2>.err || fail "does not build"
./plain >expected
for compiler in gcc clang-19; do
    PF_CC=$compiler build bad_ranges bad_ranges.c -w -O1
    start timeout -s KILL "$("$live/../support/limit" 60)" ./bad_ranges
    exits 0
    complains_not
    same_file .out expected
done
done_testing
