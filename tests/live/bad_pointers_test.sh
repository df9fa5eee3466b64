# Pointers to where there is no memory: the kernel refuses them, as without us.
. "$(dirname "$0")/lib.sh"

command_line="gcc bad_pointers.c" status=0
gcc -w "$live/bad_pointers.c" -o plain 2>.err || fail "does not build"
for compiler in gcc clang-19; do
    PF_CC=$compiler build bad_pointers bad_pointers.c -w -O1
    for pointer in unmapped unreadable null across; do
        ./plain $pointer >expected
        start ./bad_pointers $pointer
        exits 0
        complains_not
        same_file .out expected
    done
done
done_testing
