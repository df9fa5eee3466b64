# System calls that a program makes by hand, with the sanitizers' hooks around them: they touch the memory that the call does,
# no byte more, and order what the call does.
. "$(dirname "$0")/lib.sh"

build syscalls syscalls.c -O1

touches() { # CASE BYTE r|w...: a race with a read, or a write, of that byte
    local name=$1
    shift
    for ((; $# > 0; )); do
        start ./syscalls "$name" "$1" "$2"
        exits 66
        races 1
        shift 2
    done
}
leaves() { # CASE BYTE r|w...: none
    local name=$1
    shift
    for ((; $# > 0; )); do
        start ./syscalls "$name" "$1" "$2"
        exits 0
        complains_not
        shift 2
    done
}

touches read 8 r 10 r 8 w
leaves read 7 w 11 w
leaves read_failed 8 w
touches write 8 w 11 w
leaves write 8 r 7 w 12 w
touches pwrite 8 w
leaves pwrite 12 w
touches readv 0 w 31 w 64 r 65 r 128 r
leaves readv 0 r 66 w 129 w
touches writev 0 w 65 w 131 w
leaves writev 64 r 66 w 132 w
touches clock_gettime 0 r 15 r
leaves clock_gettime 16 w
touches open 0 w 9 w
leaves open 0 r 10 w
touches openat 9 w
touches pipe2 0 r 7 r
leaves pipe2 8 w
touches poll 4 w 6 r
leaves poll 4 r 8 w
touches futex 0 w 15 w
leaves futex 0 r 16 w
leaves futex_wake 0 w
touches sendto 3 w
leaves sendto 3 r 4 w
touches recvfrom 0 r 2 r
leaves recvfrom 3 w
touches sendmsg 0 w 64 w 131 w
leaves sendmsg 128 r 132 w
touches recvmsg 16 w 64 w 130 r
leaves recvmsg 64 r 131 w
touches getsockname 0 r 128 r
leaves getsockname 3 w
touches fstat 0 r 143 r
leaves fstat 144 w
touches sigprocmask 0 w 64 r
leaves sigprocmask 0 r 8 w 72 w
touches getrandom 4 r
leaves getrandom 5 w
touches nanosleep 0 w
leaves nanosleep 0 r 64 w
leaves getpid 0 w

for order in pipe end socket epoll copy unmapped; do
    start ./syscalls "$order"
    exits 0
    complains_not
done
start ./syscalls unhooked # of a call without hooks nothing is known
exits 66
races 1
start ./syscalls exit_group # the end of the program, too, is seen
exits 66
says "^Photofinish: reported 1 warning$"
start ./syscalls fork
exits 0
races 1
done_testing
