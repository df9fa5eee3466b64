# Reports about locks: what both accesses held, where the locks came from; and what is known of an access whose place
# has been overwritten.
. "$(dirname "$0")/lib.sh"
build locks locks.c -O1

start ./locks
exits 66
races 1
says "^  Write of size 4 at 0x[0-9a-f]+ by main thread:$"
says "^  Previous write of size 4 at 0x[0-9a-f]+ by thread T1 \(mutexes: write M1, read M2, write M3\):$"
says "^  Mutex M1 \(0x[0-9a-f]+\) created at:$"
says "^  Mutex M1 is global 'outer'\.$"
says "^  Mutex M2 is global 'shared'\.$"
grep -A1 "^  Mutex M3 (0x[0-9a-f]*) created at:$" .err | grep -qE "^    #0 main .*/locks.c:[0-9]+ " || fail "M3 was made in main"
run run --json=out.json ./locks
json out.json races/0/first/held 3
json out.json races/0/first/held/0/mode write
json out.json races/0/first/held/1/mode read
json out.json races/0/first/held/2/mutex M3
json out.json races/0/second/held 0
json out.json races/0/mutexes/2/stack/0/function main

# more than a report lists: it says so, and does not say that none is in common
run run --json=out.json ./locks more held
exits 66
says "^  Write of size 4 at 0x[0-9a-f]+ by main thread \(mutexes: write M1, .* write M64 and more\):$"
says "^  Previous write of size 4 at 0x[0-9a-f]+ by thread T1 \(mutexes: .* and more\):$"
says "more locks were held than are listed here\."
says_not "No lock in common|different locks"
for access in first second; do
    json out.json races/0/$access/held 64
    json out.json races/0/$access/held_more true
done
run report --text out.json
exits 0
prints "write M64 and more):"

# overwritten: said, with what is still known; a larger history keeps it
start ./locks many
exits 66
races 1
says "\[failed to restore the stack: the thread's history has been overwritten since; history_size \(0 to 7\) says how much is kept\]"
says "^  Previous write at 0x[0-9a-f]+ by thread T1:$" # its size is not known, either
says "^  It came after the thread had released mutex M1:$"
says "^    #0 give .*/locks.c:[0-9]+ "
says "^    #1 worker .*/locks.c:[0-9]+ "
says "^  Mutex M1 is global 'other'\.$"
PHOTOFINISH_OPTIONS=history_size=0 run run --json=out.json ./locks many
json out.json races/0/first/stack_known false
json out.json races/0/first/held null
json out.json races/0/first/size 0
json out.json races/0/second/size 4
cp .err told
run report out.json
grep '^  Previous write' told | diff - <(grep '^  Previous write' .out) || fail "told otherwise"
PHOTOFINISH_OPTIONS=history_size=0 run run --sarif=out.sarif ./locks many
grep -qE 'after a write by thread T1' out.sarif || fail "SARIF says a size"
PATH=/nowhere PHOTOFINISH_OPTIONS=history_size=0:symbolize=0 start ./locks many
says "^  Previous write at 0x[0-9a-f]+ by thread T1:$"
json out.json races/0/first/after_release/stack/1/function worker
PHOTOFINISH_OPTIONS=history_size=4 start ./locks many
exits 66
says_not "failed to restore"
says "^    #0 worker .*/locks.c:[0-9]+ "
says "\(mutexes: write M1, read M2, write M3\):$"
PHOTOFINISH_OPTIONS=history_size=0 start ./locks
says "^    #0 worker .*/locks.c:[0-9]+ "

# accesses at one place, in one epoch, more than there are entries: the last ones are known
build same_place same_place.c -O1
start ./same_place
exits 66
races 1
says_not "failed to restore"
says "^    #[0-9] copier .*/same_place.c:[0-9]+ "

for bad in history_size=8 history_size=-1 history=full history=short; do
    PHOTOFINISH_OPTIONS=$bad start ./locks
    exits 64
    prints_nothing
    [ "$(wc -l <.err)" -eq 1 ] || fail "more than one line"
    says "^photofinish: bad option: history"
done
done_testing
