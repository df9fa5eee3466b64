# Bytes that other threads have accessed and not synchronized since are checked whichever way the program ends; and
# the program does not see what we do about its signals.
. "$(dirname "$0")/lib.sh"

whole() { # the one report, with the place of both accesses
    races 1
    says "^  (Write|Previous write) of size 1 at 0x[0-9a-f]+ by thread T[12]:$"
    says "^    #0 touch_first .*/last_bytes.c:[0-9]+ "
    says "^    #0 touch_second .*/last_bytes.c:[0-9]+ "
    says "^    #1 first .*/last_bytes.c:[0-9]+ "
    says "^    #1 second .*/last_bytes.c:[0-9]+ "
    says "Location is global 'racy' of size 64 "
    says "^Photofinish: reported 1 warning$"
}

for compiler in gcc clang-19; do
    PF_CC=$compiler build last_bytes last_bytes.c -O1
    for way in return exit _exit quick_exit exit-thread; do
        start ./last_bytes $way
        exits 66
        whole
    done
    for way in "abort 134" "abort-ignored 134" "raise 139" "fault 139" "overflow 139" "overflow-thread 139" "null-atomic 139" "trap 132" "term 143"; do
        set -- $way
        { start ./last_bytes "$1"; } 2>/dev/null
        exits "$2"
        whole
    done
    for way in execl execle execvp; do
        start ./last_bytes $way
        exits 66
        prints_not "became echo"
        whole
        PHOTOFINISH_OPTIONS=exitcode=0 start ./last_bytes $way
        exits 0
        prints "became echo"
        whole
    done
    start ./last_bytes exec-fails
    exits 66
    prints "still here"
    whole
    start ./last_bytes fork
    exits 66
    prints "child 0"
    whole
done
run run ./last_bytes fault
exits 66
races 1
says "^photofinish: ./last_bytes was killed by signal 11 "

# the program's signals are its own
command_line="gcc handlers.c" status=0
gcc -pthread "$live/handlers.c" -o plain 2>.err || fail "does not build"
./plain >expected
build handlers handlers.c -O1
start ./handlers
exits 0
complains_not
same_file .out expected
done_testing
