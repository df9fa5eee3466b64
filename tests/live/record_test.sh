# photofinish record: traces of programs however they end, of several processes, when there is no room; dump.
. "$(dirname "$0")/lib.sh"
build ends ends.c -O1
build busy busy.c -O1 --placement=every

found() { # TRACE N: its races
    run analyze "$1"
    exits $(($2 > 0))
    prints "SUMMARY: Photofinish: $([ "$2" -gt 0 ] && echo "$2 data race" || echo "no data race")"
}

# The program's own status and output; the places are in the trace, with their callers.
run record -o t.pft ./ends
exits 0
prints "buffered"
says "^photofinish: recorded [0-9]+ accesses of process [0-9]+ in t.pft$"
found t.pft 1
prints "rite of shared by thread T0 at $live/ends.c:31 race < $live/ends.c:8" # which was first is not known
prints "rite of shared by thread T1 at $live/ends.c:21 writer (event"
run record --quiet -o t.pft ./ends clean
exits 7
[ ! -s .err ] || fail "not quiet"
found t.pft 0

# What gives memory back is on top of the stack, as with run.
build freed freed.cpp -O1
run run ./freed
exits 66
for way in "free 21" "realloc 22" "operator delete(void*) 23" "operator delete[](void*) 24" "free 25"; do
    grep -qF "    #0 ${way% *} <null>" .err || fail "no ${way% *}"
    grep -q "    #1 giver(void\*) $live/freed.cpp:${way##* } " .err || fail "no line ${way##* }"
done
run record --quiet -o t.pft ./freed
exits 0
run analyze --all t.pft
exits 1
for way in "free 21" "realloc 22" "operator delete(void*) 23" "operator delete[](void*) 24" "free 25"; do
    prints "by thread T2 at ${way% *} < $live/freed.cpp:${way##* } giver(void*) (event"
done

# However it ends.
for end in exit:0 exit-thread:3 _exit:0 quick_exit:0 pthread_exit:0 exit-in-handler:5 exec:0 vfork:0 close-all:0 abort:134 segv:139 \
    kill:137; do
    run record --quiet -o t.pft ./ends "${end%:*}"
    exits "${end#*:}"
    found t.pft 1
done
says_not .

# Each process by itself: the child of a fork has what it did, not what its parent did before.
run record -o t.pft ./ends fork
exits 0
found t.pft 1
run record -o "child-%p.pft" ./ends child-races
exits 0
[ "$(ls child-*.pft | wc -l)" -eq 2 ] || fail "not two traces: $(ls)"
total=0
for trace in child-*.pft; do
    run analyze "$trace"
    total=$((total + status))
done
[ $total -eq 1 ] || fail "$total traces have a race"
run record -o t.pft ./ends child-races
exits 0
says "^photofinish: record: 1 more process or program of ./ends is not in the trace"
found t.pft 0
run record --quiet -o "sh-%p.pft" sh -c './ends clean; exec ./ends'
exits 0
[ "$(ls sh-*.pft | wc -l)" -eq 2 ] || fail "not two traces"

# A signal handler interrupts at any point: what it does is there, and what it came in between.
build interrupted interrupted.c -O1
run record --quiet --dedupe=no -o t.pft ./interrupted
exits 0
calls=$(cat .out)
found t.pft 0
[ "$("$tool" dump t.pft | grep -c ' w calls ')" -eq "$calls" ] || fail "not each call of the handler is there"

# Signals that photofinish gets are the program's.
"$tool" record -o t.pft ./ends detach 2>.err >.out < <(exec sleep "$(limit 60)") &
recorder=$!
until_true grep -qs buffered .out
kill -TERM $recorder
wait $recorder
status=$? command_line="record, and SIGTERM"
exits 143
found t.pft 1

# Long enough for many blocks of the tape.
run record -o t.pft ./busy 40 race
exits 5
file_size=$(stat -c %s t.pft)
[ "$file_size" -gt $((128 << 10)) ] || fail "not many blocks: $file_size bytes"
says "^photofinish: recorded [0-9]+ accesses of process [0-9]+ in t.pft \([0-9.]+ bytes an access\)$"
accesses=$(sed -n 's/.*recorded \([0-9]*\) accesses.*/\1/p' .err)
found t.pft 1
run record --dedupe=no -o all.pft ./busy 40 race
exits 5
all=$(sed -n 's/.*recorded \([0-9]*\) accesses.*/\1/p' .err)
[ "$all" -ge $((40 * 4096 * 2 * 2)) ] || fail "not all accesses: $all"
[ "$accesses" -lt "$all" ] || fail "nothing was left out: $accesses of $all"
found all.pft 1
for detector in vc djit fasttrack goldilocks; do
    run analyze --detector=$detector t.pft
    exits 1
    prints "late"
done
run analyze --detector=eraser t.pft
exits 1
prints_not "part"

# The same trace as STD, and as text.
run convert t.pft t.std
exits 0
found t.std 1
run record --quiet -o direct.std ./ends
exits 0
found direct.std 1
run stats t.pft
exits 0
prints "format     recording"
run dump --first=2 --last=4 t.pft
exits 0
[ "$(wc -l <.out)" -eq 3 ] || fail "not three lines"
prints "       4  T0   " # the program's arguments come first: how many events they are depends on where they lie
run dump t.pft
exits 0
prints "T0   w rounds  at $live/busy.c:"
prints "late  at $live/busy.c:"
prints "T0   fork T1"
run dump nothing
exits 2

# No room: the program is stopped, or goes on and the trace is of what there was room for.
(
    ulimit -f 4200 # KiB: the memory of the tape counts as well
    run record -o full.pft ./busy 2000 race
    exits 70
    says "^photofinish: record: full.pft: cannot write: File too large; the program is stopped"
    prints_not "done"
    run record --on-full=drop -o full.pft ./busy 600 race
    exits 70
    prints "done"
    says "^photofinish: record: full.pft: cannot write: File too large; the trace ends here, the program goes on$"
) || exit 1
found full.pft 0
run record --quiet -o /dev/full ./ends
exits 70
says "^photofinish: record: /dev/full: cannot write: No space left on device(;|$)"
"$tool" record --quiet -o - ./ends >piped.pft 2>.err # what the program prints is not in it
status=$? command_line="record to standard output"
exits 0
[ "$(cat .err)" = "buffered " ] || fail "the program's output is not on standard error"
found piped.pft 1
"$tool" record --quiet -o - ./busy 40 2>.err | head -c 10 >/dev/null
status=${PIPESTATUS[0]} command_line="record to a closed pipe"
exits 70
says "^photofinish: record: -: cannot write: Broken pipe(;|$)"
[ -z "$(ls | grep -E 'part-|XXXX|photofinish-')" ] || fail "temporary files are left: $(ls)"

# Threads: thousands one after the other, and more at once than there are blocks (few, if files may not be large): what has
# none goes the long way. Each has its accesses, and those that race do.
build waves waves.c -O1
run record -o t.pft ./waves 20 100
exits 0
found t.pft 1
prints "racy"
run dump t.pft
[ "$(grep -c ' w slot' .out)" -eq 2000 ] || fail "not each thread's write is there"
[ "$(grep -c 'fork' .out)" -eq 2000 ] || fail "not each thread is there"
(
    ulimit -f 3000
    run record --quiet -o t.pft ./waves 3 150
    exits 0
    found t.pft 1
    prints "racy"
    run dump t.pft
    [ "$(grep -c ' w slot' .out)" -eq 450 ] || fail "not each thread's write is there"
) || exit 1

# With repetitions and without: the same variables race.
for program in "ends" "busy 20 race" "waves 2 20" "ends clean"; do
    for dedupe in yes no; do
        # shellcheck disable=SC2086
        "$tool" record --quiet --dedupe=$dedupe -o t.pft ./$program >/dev/null 2>&1
        "$tool" analyze --json t.pft | python3 -c 'import json, sys; print(json.load(sys.stdin)["racy_variables"])' >$dedupe.racy
    done
    command_line="record --dedupe $program"
    cmp -s yes.racy no.racy || fail "not the same races: $(cat yes.racy no.racy)"
done

# The program is killed: all that it had done is there. (It has written that to a pipe before.)
mkfifo said
"$tool" record --quiet -o t.pft ./waves 1 50 wait >said 2>/dev/null &
recorder=$!
read -r pid <said
kill -9 "$pid"
wait $recorder
status=$? command_line="record, and kill -9 of the program"
exits 137
found t.pft 1
run dump t.pft
[ "$(grep -c ' w slot' .out)" -eq 50 ] || fail "not each thread's write is there"

# photofinish record is killed: the program goes on, and what had been written is readable.
"$tool" record --quiet -o t.pft ./busy 3000 race >said 2>/dev/null &
recorder=$!
exec 3<said
large() { [ "$(stat -c %s t.pft)" -gt 1000000 ]; }
until_true large
kill -9 $recorder
wait $recorder 2>/dev/null
read -r -t "$(limit 60)" word <&3
command_line="record, and kill -9 of it" status=0
[ "$word" = "done" ] || fail "the program did not go on: '$word'"
exec 3<&-
run analyze t.pft
exits 2
says "the recording is cut short; use --salvage"
run analyze --salvage t.pft
exits 0
run dump --salvage --last=2000 t.pft
exits 0
prints "busy+0x" # no names: they come last

# The same while a thread sleeps that others had a lock after: what it did is kept when it has slept for a while.
build left_asleep left_asleep.c -O1
"$tool" record --quiet -o t.pft ./left_asleep >said 2>/dev/null &
recorder=$!
read -r pid <said
salvaged() { run analyze --salvage t.pft && [ $status -eq 1 ]; }
until_true salvaged
kill -9 $recorder "$pid"
wait $recorder 2>/dev/null
command_line="record, and kill -9 of it while threads sleep"
exits 1

# What cannot be recorded.
"$pfcc" --pf-static -pthread -g "$live/ends.c" -o static || fail "does not build"
run record -o t2.pft ./static
exits 64
says "only fasttrack2"
[ ! -e t2.pft ] || fail "a trace of nothing"
for path in nowhere/t.pft nowhere/%p.pft nowhere/t.std; do # known before the program runs
    run record -o $path sh -c 'touch has_run'
    exits 64
    says "^photofinish: record: $path: cannot open for writing: No such file or directory"
    [ ! -e has_run ] || fail "the program was run"
done
done_testing
