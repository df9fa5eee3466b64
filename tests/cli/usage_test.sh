# photofinish itself, its help, and the small commands.
. "$(dirname "$0")/lib.sh"

run
exits 2
prints "usage: photofinish COMMAND"
run --help
exits 0
for command in analyze convert detectors generate merge report run stats; do
    prints "  $command "
done
run --version
exits 0
[ "$(wc -l <.out)" -eq 1 ] && grep -qxE 'photofinish [0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]{12}\+?\))?' .out || fail "not a version"
if git -C "$here" rev-parse HEAD >/dev/null 2>&1; then
    grep -q "(" .out || fail "no commit"
fi
cp .out version
for way in version -V; do
    run $way
    exits 0
    same_file .out version
done

# what was meant, from the tables of commands and options
for pair in rn:run runn:run rnu:run analize:analyze anal:analyze recrod:record versoin:version detector:detectors; do
    run "${pair%:*}"
    exits 2
    complains "photofinish: no command '${pair%:*}': did you mean '${pair#*:}'? (see photofinish --help)"
done
for line in "report --jsn=x:json" "report --qiet:quiet" "analyze --detectr=vc:detector" "convert --salvge:salvage" "stats --hlep:help"; do
    written=${line#* } written=${written%:*}
    run ${line%:*} x
    exits 2
    complains "photofinish: ${line%% *}: unknown option '${written%=*}': did you mean '--${line##*:}'? (see photofinish ${line%% *} --help)"
done
run run --supressions=x ./a.out
exits 64
complains "photofinish: run: unknown option '--supressions': did you mean '--suppressions'? (see photofinish run --help)"
run analyze --detector=fastrack2 x.std
exits 2
complains "photofinish: analyze: no detector 'fastrack2': did you mean 'fasttrack2'? (photofinish detectors lists them)"
run report -q x
exits 2
complains "photofinish: report: unknown option '-q' (see photofinish report --help)"
run frobnicate
exits 2
complains "photofinish: no command 'frobnicate' (see photofinish --help)"
run record ./a.out
exits 64
complains "photofinish: record: no trace to write: -o FILE is missing"
run record -o x.pft ./a.out
exits 64
complains "photofinish: record: ./a.out: cannot run: No such file or directory"
run record -o nowhere/x.pft /bin/true
exits 64
complains "photofinish: record: nowhere/x.pft: cannot open for writing: No such file or directory"
run record -o x.pft --on-full=wait /bin/true
exits 64
complains "photofinish: record: --on-full must be stop or drop"
run record -o x.pft --dedupe=perhaps /bin/true
exits 64
complains "photofinish: record: --dedupe must be yes or no"
run record -o x.pft /bin/true
exits 64
complains "photofinish: record: /bin/true: no instrumented code was run, so nothing was recorded (build it with pfcc or pfc++)"
[ ! -e x.pft ] || fail "a trace of nothing"

for command in analyze convert detectors dump generate help merge report stats version; do
    run $command --help
    exits 0
    prints "usage: photofinish $command [OPTION]..."
    run $command --no-such-option
    exits 2
    complains "photofinish: $command: unknown option '--no-such-option' (see photofinish $command --help)"
done
run run --help
exits 0
prints "usage: photofinish run [OPTION]... [--] PROG ARG..."
run record --help
exits 0
prints "usage: photofinish record [OPTION]... -o FILE [--] PROG ARG..."
run symbolize
exits 2
[ "$(wc -l <.err)" -eq 1 ] || fail "one line expected"

run detectors
exits 0
for detector in vc djit fasttrack fasttrack2 fasttrack2l goldilocks goldilocks-eager eraser oracle nop; do
    grep -qE "^$detector +" .out || fail "no $detector"
done
prints "(default)"
grep '^eraser' .out | grep -q imprecise || fail "eraser does not say that it is imprecise"

run stats "$examples/phases.std"
exits 0
grep -qE '^threads +3$' .out || fail "threads"
grep -qE '^ +bin +2 ' .out || fail "bin"
run stats --json "$examples/phases.std"
exits 0
prints '"barriers": 1'
prints '"bin": 2'
printf 'T|rel(l)|1\n' >bad.std
run stats bad.std
exits 2
complains "photofinish: bad.std:1: thread T releases lock l, which it does not hold"
# papers have names; an empty value is none
run detectors
prints "FastTrack2 (2017)"
prints_not "000"
run detectors --help
prints "PPoPP 2003"
run analyze --detector= x.std
exits 2
complains "photofinish: analyze: --detector needs a value"
done_testing
