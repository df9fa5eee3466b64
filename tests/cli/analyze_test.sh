# photofinish analyze: exit codes, text, JSON, detectors, formats, standard input, bad input.
. "$(dirname "$0")/lib.sh"

# a race, as text
run analyze "$examples/bank.std"
exits 1
complains_not
prints "WARNING: Photofinish: data race ("
prints "  Read of balance by thread auditor at 30 (event 13)"
prints "  Previous write of balance by thread teller2 at 21 (event 11)"
prints "SUMMARY: Photofinish: 1 data race on 1 variable in "

# the contract's JSON
cp "$examples/bank.std" x.std
run analyze --json x.std
exits 1
prints '{ "tool": "photofinish", "version": "'
prints '"detector": "fasttrack2"'
prints '"trace": "x.std"'
prints '"events": 17, "threads": 4, "locks": 1, "variables": 1'
prints '{"variable":"balance","kind":"write-read","first":{"thread":"teller2","event":11,"location":"21"},"second":{"thread":"auditor","event":13,"location":"30"}}'
prints '"racy_variables": ["balance"]'

# no race
run analyze --json "$examples/handover.std"
exits 0
prints '"races": []'
prints '"racy_variables": []'

# every detector runs on every example; the precise ones agree
for detector in $("$tool" detectors | awk '{print $1}'); do
    for trace in bank publish phases handover; do
        run analyze --json --detector="$detector" "$examples/$trace.std"
        [ "$status" -le 1 ] || fail "expected 0 or 1"
        prints "\"detector\": \"$detector\""
        if grep -q '"precise": true' .out; then
            sed -nE 's/.*"variable":("[^"]*").*"second":.*"event":([0-9]+).*/\1 \2/p' .out | sort >"$trace.$detector"
            same_file "$trace.$detector" "$trace.$(ls "$trace".* | head -1 | sed 's/.*\.//')"
        fi
    done
done
[ "$(ls bank.* | wc -l)" -ge 8 ] || fail "fewer than eight precise detectors"
[ -s bank.oracle ] && [ ! -s handover.oracle ] || fail "the oracle's answers are wrong"

# eraser says that it is imprecise
run analyze --detector=eraser "$examples/handover.std"
exits 1
prints "possible data race"
prints "Imprecise: eraser"

# every pair with --all, one per variable without
printf 'A|w(x)|1\nB|w(x)|2\nC|w(x)|3\nC|w(y)|4\nA|w(y)|5\n' >pairs.std
run analyze --detector=oracle pairs.std
prints "SUMMARY: Photofinish: 2 data races on 2 variables"
run analyze --detector=oracle --all pairs.std
exits 1
prints "SUMMARY: Photofinish: 4 data races on 2 variables"
run analyze --all --json pairs.std
prints '"racy_variables": ["x", "y"]'

# statistics
run analyze --stats "$examples/bank.std"
prints "WRITE-READ RACE"
prints "same epoch"
prints "maximum clock"
prints "bytes for variables"
run analyze --stats --json "$examples/bank.std"
prints '"statistics": {'
prints '"WRITE-READ RACE":1'

# standard input: a file, and a pipe (the first access is looked up in a second pass)
run_with x.std analyze --json -
exits 1
prints '"first":{"thread":"teller2","event":11,"location":"21"}'
prints '"trace": "-"'
cat x.std | "$tool" analyze --json - >.out 2>.err
status=$?
command_line="... | photofinish analyze -"
exits 1
prints '"first":{"thread":"teller2","event":11,"location":"21"}'

# formats: by content, whatever the name; --format insists
printf '@ Wr(0,x) s a.c:1:1\n@ Start(0,1)\n@ Wr(0,x) s a.c:2:1\n@ Rd(1,x) s a.c:9:1\n' >trace.txt
run analyze --json trace.txt
exits 1
prints '"location":"a.c:9:1"'
printf 'w(x),,\n,r(x),\n' >csv
run analyze --json csv
exits 1
prints '"second":{"thread":"T1","event":2,'
run analyze --format=rr x.std
exits 2
complains "photofinish: x.std:23: no line begins with @: these are no RoadRunner events"
run analyze --format=std trace.txt
exits 2
run analyze --format=doc trace.txt
exits 2
complains "photofinish: analyze: no format 'doc' (auto, std, rr, csv, pft)"

# bad input: one line, the place, the reason, nothing on stdout
printf 'T1|acq(l)|1\n\n# note\nT2|acq(l)|2\n' >bad.std
run analyze bad.std
exits 2
complains "photofinish: bad.std:4: thread T2 acquires lock l, which thread T1 holds"
prints_nothing
printf 'T1|w(x)|1\nT1|jump(x)|1\n' >bad.std
run analyze --json bad.std
exits 2
grep -q '^photofinish: bad.std:2: ' .err || fail "no place"
prints_nothing
run analyze nowhere.std
exits 2
complains "photofinish: nowhere.std: cannot open: No such file or directory"
run analyze /bin/true
exits 2
complains "photofinish: /bin/true: a program, not a trace (photofinish record -o FILE makes one of its execution)"
run analyze .
exits 2
[ "$(wc -l <.err)" -eq 1 ] || fail "one line expected"
: >empty.std
run analyze empty.std
exits 0
complains "photofinish: empty.std: the trace has no events: nothing was checked"
prints "SUMMARY: Photofinish: nothing was checked in empty.std"
run convert empty.std empty.pft
run analyze empty.pft
exits 0
complains "photofinish: empty.pft: the trace has no events: nothing was checked"
prints "SUMMARY: Photofinish: nothing was checked in empty.pft"
: >none.pft
run analyze none.pft
exits 2
complains "photofinish: none.pft: not a .pft trace: it is empty"
prints_nothing
run analyze --format=pft empty.std
exits 2
head -c 3000 /dev/urandom >noise
run analyze noise
exits 2
[ "$(wc -l <.err)" -eq 1 ] || fail "one line expected"

# bad usage
run analyze
exits 2
run analyze a b
exits 2
run analyze --detector=magic x.std
exits 2
complains "photofinish: analyze: no detector 'magic' (photofinish detectors lists them)"
run analyze --frobnicate x.std
exits 2
run analyze x.std --detector
exits 2
complains "photofinish: analyze: --detector needs a value"

# names that are no UTF-8, and names with quotes
printf 'T"1|w(\xff\\x)|1\nT2|w(\xff\\x)|2\n' >names.std
run analyze --json names.std
exits 1
prints '"T\"1"'

# what cannot be written is not called written
"$tool" analyze x.std >/dev/full 2>.err
status=$?
command_line="photofinish analyze x.std >/dev/full"
exits 70
done_testing
