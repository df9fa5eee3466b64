# The library that counts what it does (src/base/count.h): the counts are right, and no other prints any.
. "$(dirname "$0")/lib.sh"
counting=$(dirname "$pfcc")/../lib/photofinish-count
counts() { says "^  $1 $2\$"; }

for compiler in gcc clang-19; do
    export PF_CC=$compiler
    placement=
    [ $compiler = clang-19 ] && placement=--placement=every # a test in place is not counted
    build counted counted.c -O1 $placement
    start ./counted
    exits 0
    complains_not
    start env LD_LIBRARY_PATH="$counting" ./counted
    exits 0
    says "^Photofinish: counted\$"
    counts accesses 1064
    counts same-epoch 999
    counts sync-operations 20
    counts joins 0
    counts joins-skipped 9 # a thread knows what it released itself
    counts check-ratio '0\.9[0-9]*'
    counts same-epoch-share '0\.939'
    counts slow-path-share '0\.00[0-9]'
    start env LD_LIBRARY_PATH="$counting" PHOTOFINISH_OPTIONS=footprints=0 ./counted
    exits 0
    counts accesses 1064
    counts in-pieces 0
    counts in-words 0
    counts check-ratio '1\.000'
done
done_testing
