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
prints "photofinish "
run frobnicate
exits 2
complains "photofinish: no command 'frobnicate' (see photofinish --help)"
run record ./a.out
exits 2
complains "photofinish: 'record' is not in this version: it runs programs and analyzes recorded traces"

for command in analyze convert detectors generate merge report stats; do
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
