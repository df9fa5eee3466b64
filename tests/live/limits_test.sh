# Much of everything: threads, locks, memory, calls. (Threads that come and go: tests/programs/slots_*; for longer: tests/soak.)
. "$(dirname "$0")/lib.sh"
build limits limits.c -O1

at_most() { # N: the only line of the output is a number, no higher
    checks=$((checks + 1))
    [ "$(cat .out)" -le "$1" ] || fail "expected at most $1"
}

start ./limits idle 1000
exits 0
complains_not
at_most 73 # 64 of ours, and the program's own

# what threads that have ended noted takes no memory for good
build again again.c -O1
start ./again 200
exits 0
complains_not
few=$(cat .out)
start ./again 8000
exits 0
complains_not
at_most $((few + 4096))
start ./again 8000 bytes
exits 0
complains_not
at_most $((few + 65536))

# garbage of those that were never destroyed is collected when there is much of it
start ./limits mutexes 2500000
exits 0
complains_not
at_most 4096

start ./limits array 64
exits 66
races 1
says "#0 large_array .*/limits.c:"
says "#0 write_last .*/limits.c:"

start ./limits deep 1000000
exits 66
races 1
says "#0 race .*/limits.c:"
says "#1 fall .*/limits.c:"
says "#0 writer .*/limits.c:"

# more stacks than are kept apart: the innermost and outermost calls are right
start ./limits walks 150000
exits 66
races 1
says "#0 race .*/limits.c:"
says "#1 walk .*/limits.c:"
says "#2 odd .*/limits.c:"
says "#3 many_walks .*/limits.c:"
says "#4 main .*/limits.c:"
done_testing
