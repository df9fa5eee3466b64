# Processes that a program with several threads starts, whichever way; what races in one is told by it.
. "$(dirname "$0")/lib.sh"

for compiler in gcc clang-19; do
    PF_CC=$compiler build processes processes.c -O1
    for way in fork _Fork fork-in-handler; do
        start timeout "$(limit 60)" ./processes $way
        exits 0
        prints "$way: exit 66"
        races 1
        says "#0 race .*/processes.c:"
        says "#0 writer .*/processes.c:"
    done
    start timeout "$(limit 60)" ./processes vfork
    exits 0
    prints "vfork: exit 0
vfork: exit 9
told 0 1
still handled"
    complains_not
    start timeout "$(limit 60)" ./processes posix_spawn
    exits 0
    prints "posix_spawn: exit 0"
    complains_not
    start timeout "$(limit 60)" ./processes system
    exits 0
    prints "system: 3"
    complains_not
    start timeout "$(limit 60)" ./processes popen
    exits 0
    prints "out of a pipe
0"
    complains_not
    start timeout "$(limit 60)" ./processes daemon
    exits 0
    prints "daemon: exit 0
at work"
    races 1
    start timeout "$(limit 60)" ./processes daemon-after-race # it goes on as the child: the parent leaves as ever
    exits 0
    prints "daemon-after-race: exit 0
at work"
    races 1
done

# options that need nothing
TSAN_OPTIONS=die_after_fork=0 start timeout "$(limit 60)" ./processes posix_spawn
exits 0
complains_not
# what the command leaves running is not waited for, and the message says so
build ends ends.c -O1
run run sh -c 'sleep 600 >/dev/null 2>&1 & echo $! >sleeper'
kill "$(cat sleeper)"
exits 64
complains "photofinish: run: sh: it ended before any instrumented code was run, so nothing was checked; 1 process that it started still runs, and is not waited for"
run run sh -c 'exit 0'
exits 64
says "no instrumented code was run"
run run sh -c './ends & wait'
exits 66
# left behind, it reports by itself
run run sh -c '(sleep 1; exec ./ends) >late 2>&1 & exit 0'
exits 64
until_true grep -q "^Photofinish: reported" late
races 1 late
done_testing
