# libc functions that touch the caller's memory: each row of the table, byte by byte.
. "$(dirname "$0")/lib.sh"

rows() { # FLAG...
    build rows "$live/libc/rows.c" -fno-builtin -I"$live/../../src" "$@"
    PHOTOFINISH_OPTIONS=report_bugs=0 start ./rows
    exits 0
    prints ", 0 wrong"
}

for compiler in gcc clang-19; do
    export PF_CC=$compiler
    rows -O0
    rows -O2
done
rows -O1 --pf-static
done_testing
