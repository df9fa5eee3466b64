# Programs started directly: the report is whole and the status tells of the race, whichever way the program ends.
. "$(dirname "$0")/lib.sh"
build ends ends.c -O1

start ./ends clean
exits 7
prints "buffered"
complains_not
for way in return exit exit-thread pthread_exit wait; do
    start ./ends $way
    exits 66
    races 1
    prints "buffered" # what exit() flushes is flushed
    says "^Photofinish: reported 1 warning$"
done
for way in _exit _Exit exit_group quick_exit exit-in-handler; do
    start ./ends $way
    exits 66
    races 1
    prints_nothing # these do not flush
    says "^Photofinish: reported 1 warning$"
done

# what kills a program keeps doing so, and the report was written before
for way in "abort 134" "segv 139" "kill 137" "exec 66"; do
    set -- $way
    { start ./ends "$1"; } 2>/dev/null
    exits "$2"
    races 1
    says "#0 race .*/ends.c:[0-9]+ \(ends\+0x"
    says "#0 writer .*/ends.c:[0-9]+ \(ends\+0x"
done

# a child answers for its own races, not for its parent's
start ./ends fork
exits 66
prints "child 0"
races 1
start ./ends vfork
exits 66
prints "child 0"
start ./ends child-races
exits 0
prints "child 66"
races 1

# descriptors: closed by the program, closed before it began, none left
start ./ends close-all
exits 66
races 1
start sh -c 'exec ./ends 2>&-'
exits 66
start sh -c 'exec ./ends <&- >&- 2>&-'
exits 66
start sh -c 'exec ./ends 2>/dev/full' # the report is lost
exits 70
start sh -c 'ulimit -n 16; exec ./ends'
exits 66
races 1
start ./ends no-descriptors # no room for a socket: what can be said without one
exits 66
grep -q "^WARNING: Photofinish: data race" .err || fail "no report"

# the helper holds nothing of the program's open: who reads its output sees the end, though the program runs on
command_line="./ends detach | cat" status=0
mkfifo go
exec 9<>go
{ ./ends detach <go 9>&- 2>&1 & } | timeout "$(limit 60)" cat >.err 9>&-
status=$?
exits 0
races 1
exec 9>&-

# without the helper: the report without names
mkdir -p alone/lib
cp "$(dirname "$pfcc")"/../lib/photofinish/libphotofinish.so.0 alone/lib/
LD_LIBRARY_PATH=$PWD/alone/lib LD_PRELOAD=$PWD/alone/lib/libphotofinish.so.0 start ./ends
exits 66
races 1
says "    #0 <null> <null> \(.*/ends\+0x[0-9a-f]+\)"
done_testing
