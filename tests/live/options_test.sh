# PHOTOFINISH_OPTIONS and TSAN_OPTIONS, the program's own defaults, and what is wrong with options.
. "$(dirname "$0")/lib.sh"
build ends ends.c -O1
build many many.c -O1

with() { # OPTIONS COMMAND...
    local options=$1
    shift
    command_line="PHOTOFINISH_OPTIONS=$options $*"
    PHOTOFINISH_OPTIONS=$options "$@" >.out 2>.err </dev/null
    status=$?
}

# exit status
with exitcode=5 ./ends
exits 5
with exitcode=0 ./ends exit-thread
exits 3
races 1
TSAN_OPTIONS=exitcode=8 start ./ends
exits 8
TSAN_OPTIONS=exitcode=8 with exitcode=9 ./ends
exits 9
{ with abort_on_error=1 ./ends; } 2>/dev/null
exits 134
races 1

# stop at the first, or report nothing
start ./many
exits 66
races 3
prints "end"
with halt_on_error=1 ./many
exits 66
races 1
prints_nothing
with "halt_on_error=1 exitcode=11" ./many
exits 11
{ with halt_on_error=yes:abort_on_error=true ./many; } 2>/dev/null
exits 134
races 1
with report_bugs=0 ./many
exits 64
complains "photofinish: reports are off (report_bugs=0)"
prints "end"
PHOTOFINISH_OPTIONS=halt_on_error=1 run run ./many
exits 66
races 1

# what is the same is reported once, unless all is wanted
start ./many same-address
races 1
with suppress_equal_addresses=0 ./many same-address
races 2
with suppress_equal_addresses=0:suppress_equal_stacks=0 ./many same-stacks
[ "$(grep -c '^WARNING' .err)" -ge 10 ] || fail "not all were reported"
with suppress_equal_addresses=0 ./many same-stacks
races 1

# where reports go
with log_path="$PWD/log" ./ends
exits 66
complains_not
ls log.* | grep -qxE "log\.[0-9]+" || fail "no log with a process id"
races 1 "$(ls log.*)"
grep -q "^Photofinish: reported 1 warning$" log.* || fail "no summary in the log"
rm log.*
with log_path=here:log_exe_name=1:log_suffix=.txt ./ends
ls | grep -qxE "here\.ends\.[0-9]+\.txt" || fail "no log with a name"
with log_path=stdout ./ends _exit
complains_not
races 1 .out
mkdir logs
with log_path=logs/race-%p.txt ./ends
exits 66
complains_not
races 1 "$(ls logs/race-*.txt)"
with log_path=/proc/no/such/place ./ends
exits 70
races 1
says "^photofinish: log_path: /proc/no/such/place\.[0-9]+: cannot open for writing: No such file or directory$"
with log_path=/proc/no/such/place ./ends clean # at the start, race or not
exits 70
complains "photofinish: warning: log_path: /proc/no/such/ cannot be written to"
with log_path=no-%p/such/place ./ends clean
complains_not
with log_path="$PWD/full" sh -c 'ln -s /dev/full "full.$$"; exec ./ends'
exits 70
races 1
says "^photofinish: log_path: $PWD/full\.[0-9]+: cannot write: No space left on device$"
PHOTOFINISH_OPTIONS=log_path=under-%p.txt run run ./ends
exits 66
races 0
says "^Photofinish: reported 1 warning$"
races 1 "$(ls under-*.txt)"
PHOTOFINISH_OPTIONS=log_path=other-%p.txt run run --log=chosen.txt ./ends
races 1 chosen.txt

# how they look
with "strip_path_prefix='$live/'" ./ends
says "#0 race ends.c:[0-9]+ \(ends"
with symbolize=0 ./ends
exits 66
says "#0 <null> <null> \(ends\+0x[0-9a-f]+\)"
with color=always ./ends
says $'^\033\\[1m\033\\[31mWARNING: Photofinish: data race'
with color=never ./ends
races 1
with print_summary=0 ./ends
says_not "^SUMMARY"
with verbosity=1 ./ends clean
exits 7
says "^photofinish: runtime [0-9.]+ in process [0-9]+$"
build libplace.so library.c -O2 -shared -fPIC
build places places.cpp -O2 ./libplace.so -Wl,-rpath,.
with demangle=0 ./places method
says "#0 _ZN4bank7Account7depositEi "
with symbolize_inline_frames=0 ./places inlined
says_not "#1 middle"

# syntax: separators, quotes, TSan's flags that mean nothing here
with $'exitcode=4,halt_on_error=0\tcolor="never"\nhistory_size=7 second_deadlock_stack=1:atexit_sleep_ms=0' ./ends
exits 4
races 1
says_not "unknown"
with "color=never:frobnicate=1:io_sync=0:other=x" ./ends clean
exits 7
complains "photofinish: warning: unknown options: frobnicate, other (help=1 lists them)"
with exitcode=many ./ends clean
exits 64
complains "photofinish: bad option: exitcode=many; it is 0 to 255"
prints_nothing
with halt_on_error ./ends clean
exits 64
complains "photofinish: bad option: halt_on_error; it is 0 or 1"
for bad in exitcode=256 exitcode=-1 color=sometimes io_sync=5 source_lines=-4 history_size=8 history=some verbosity=-1; do
    with $bad ./ends
    exits 64
    races 0
    says "^photofinish: bad option: $bad; it is "
done
with help=1 ./ends clean
exits 7
for option in exitcode halt_on_error suppressions log_path history_size report_bugs; do
    says "^  $option="
done
echo "exitcode=21 # no comment: a word that is no option" >more
with include=more ./ends
exits 21
with include_if_exists=nowhere ./ends clean
exits 7
with include=nowhere ./ends clean
exits 64
complains "photofinish: cannot read options file 'nowhere'"

# every flag of TSan (gcc 12, clang 19) is known, some mean something
unknown=$(sed 's/$/=1/' "$live/tsan_flags" | grep -vE '^(halt_on_error|abort_on_error|suppressions|log_path|history_size)=' | tr '\n' ':')
TSAN_OPTIONS=$unknown:report_bugs=0 start ./ends clean
says_not "unknown"
build atomic "$live/../programs/atomic_load_plain_write_race.c"
start ./atomic
exits 66
with report_atomic_races=0 ./atomic
exits 0
races 0
build benign "$live/../programs/annotation_benign_norace.c" -I"$live/../programs"
start ./benign
exits 0
with enable_annotations=0 ./benign
exits 66
with 'stack_trace_format="[%n] %f @%s@%l %% %o %F %L %q"' ./many
says "^\\[0\\] touch @/.*/many.c@[0-9]+ % 0x[0-9a-f]+ in touch /.*/many.c:[0-9]+ %q$"
with stack_trace_format=DEFAULT ./many
says "^    #0 touch /.*/many.c:[0-9]+ \\(many\\+0x"
with dedup_token_length=2 ./many
says "^DEDUP_TOKEN: touch--here$"
says "^DEDUP_TOKEN: touch--other$"

# the program's own defaults come first
build defaults defaults.c -O1
start ./defaults
exits 33
with exitcode=34 ./defaults
exits 34
FORGIVE=yes start ./defaults # its __tsan_on_finalize has the last word
exits 0
races 1
done_testing
