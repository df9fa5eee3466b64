# photofinish record: traces of programs however they end, of several processes, when there is no room; dump.
. "$(dirname "$0")/lib.sh"
build ends ends.c -O1
build busy busy.c -O1

found() { # TRACE N: its races
    run analyze "$1"
    exits $(($2 > 0))
    prints "SUMMARY: Photofinish: $([ "$2" -gt 0 ] && echo "$2 data race" || echo "no data race")"
}

# The program's own status and output; the places are in the trace, with their callers.
run record -o t.pft ./ends
exits 0
prints "buffered"
says "^photofinish: recorded [0-9]+ accesses of process [0-9]+ as [0-9]+ events in t.pft \([0-9.]+ bytes an access\)$"
found t.pft 1
prints "Write of shared by thread T0 at $live/ends.c:30 race < $live/ends.c:8"
prints "Previous write of shared by thread T1 at $live/ends.c:20 writer (event"
run record --quiet -o t.pft ./ends clean
exits 7
[ ! -s .err ] || fail "not quiet"
found t.pft 0

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

# Signals that photofinish gets are the program's.
"$tool" record -o t.pft ./ends detach 2>.err >.out < <(sleep 20) &
recorder=$!
for ((i = 0; i < 200; i++)); do
    [ "$(pgrep -P $recorder ends)" ] && grep -q buffered .out 2>/dev/null && break
    sleep 0.05
done
kill -TERM $recorder
wait $recorder
status=$? command_line="record, and SIGTERM"
exits 143
found t.pft 1

# Long enough for several windows of the tape.
run record -o t.pft ./busy 40 race
exits 5
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
    ulimit -f 4200 # KiB: the windows themselves need 4096
    run record -o full.pft ./busy 2000 race
    exits 70
    says "^photofinish: record: full.pft: cannot write: File too large; the program is stopped"
    prints_not "done"
    run record --on-full=drop -o full.pft ./busy 300 race
    exits 70
    prints "done"
    says "^photofinish: record: full.pft: cannot write: File too large; the trace ends here, the program goes on$"
) || exit 1
found full.pft 0
run record --quiet -o /dev/full ./ends
exits 70
complains "photofinish: record: /dev/full: cannot write: No space left on device"
"$tool" record --quiet -o - ./busy 40 2>.err | head -c 10 >/dev/null
status=${PIPESTATUS[0]} command_line="record to a closed pipe"
exits 70
says "^photofinish: record: -: cannot write: Broken pipe$"
[ -z "$(ls | grep -E 'part-|XXXX|photofinish-')" ] || fail "temporary files are left: $(ls)"

# What cannot be recorded.
"$pfcc" --pf-static -pthread -g "$live/ends.c" -o static || fail "does not build"
run record -o t2.pft ./static
exits 64
says "only fasttrack2"
[ ! -e t2.pft ] || fail "a trace of nothing"
done_testing
