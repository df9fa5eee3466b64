# photofinish convert and generate: round trips, salvage, output that appears only when whole.
. "$(dirname "$0")/lib.sh"

run generate --seed 5 --threads 6 --locks 4 --vars 20 --events 50000 -o a.std
exits 0
prints_nothing
run generate --seed 5 --threads 6 --locks 4 --vars 20 --events 50000
exits 0
same_file .out a.std
run generate --seed 6 --threads 6 --locks 4 --vars 20 --events 50000
cmp -s .out a.std && fail "another seed gives the same trace"
[ "$(wc -l <a.std)" -eq 50000 ] || fail "not 50,000 events"

# std -> pft -> std is the same text; the answers are the same
run convert a.std a.pft
exits 0
run convert a.pft b.std
exits 0
same_file a.std b.std
run analyze --json a.std
sed 's/a.std/TRACE/' .out >from-std
run analyze --json a.pft
sed 's/a.pft/TRACE/' .out >from-pft
same_file from-std from-pft
[ "$(wc -c <a.pft)" -lt "$(wc -c <a.std)" ] || fail "the binary form is larger"

# through pipes, format by content, --to where there is no ending
"$tool" convert --to=pft a.std - | "$tool" convert - - >c.std
same_file a.std c.std
run convert a.std nameless
exits 2
complains "photofinish: nameless: no known trace format by this ending (.std, .pft); use --to=FORMAT"
run convert --to=pft a.std nameless
exits 0
run analyze --format=pft nameless
[ "$status" -le 1 ] || fail "not readable"
run convert --to=csv a.std x.csv
exits 2
complains "photofinish: convert: cannot write format 'csv' (std, pft)"

# an infeasible trace is refused, and what was there before stays
printf 'T1|rel(l)|1\n' >bad.std
cp a.pft keep.pft
run convert bad.std keep.pft
exits 2
complains "photofinish: bad.std:1: thread T1 releases lock l, which it does not hold"
same_file a.pft keep.pft
ls | grep -q part && fail "a temporary file was left"
for format in std pft; do
    run convert a.std /dev/full --to=$format
    exits 70
    complains "photofinish: /dev/full: cannot write: No space left on device"
done

# a link stays a link, a mode stays a mode, what may not be written is not
: >target.std
chmod 600 target.std
ln -s target.std link.std
run convert a.pft link.std
exits 0
[ -L link.std ] || fail "the link is gone"
same_file target.std a.std
[ "$(stat -c %a target.std)" = 600 ] || fail "the mode changed"

# names that could forge a report or a terminal command are shown escaped
printf 'T1|w(x\033[31m)|1\nT2|w(x%%41)|1\nT2|w(\377)|1\nT1|w(\376)|1\nT1|w(\377)|2\nT2|w(\376)|2\n' >odd.std
run analyze --json odd.std
exits 2
printf 'T1|w(x%%41)|1\nT2|w(x%%41)|1\nT2|w(\377)|1\nT1|w(\376)|1\nT1|w(\377)|2\nT2|w(\376)|2\n' >odd.std
run analyze --json odd.std
exits 1
prints '"racy_variables": ["x%2541", "%FF", "%FE"]'
run analyze odd.std
prints "Write of %FF by thread T1"
cp odd.std "$(printf 'od\377.std')"
run stats --json "$(printf 'od\377.std')"
exits 0
prints '"trace": "od%FF.std"'

# interrupted: nothing is left
"$tool" generate --events 2000000000 -o big.pft &
generator=$! status=0 command_line="generate, and SIGTERM"
writing() { ls -l /proc/$generator/fd 2>/dev/null | grep -qE '\(deleted\)|\.part-'; }
until_true writing
kill -TERM $generator
wait $generator 2>/dev/null
ls | grep -q part && fail "a temporary file was left"
[ -e big.pft ] && fail "half a file appeared"

# without a place for copies, a pipe can be analyzed as long as there is nothing to look up
"$tool" generate --discipline 100 --events 5000 | TMPDIR=/nonexistent "$tool" analyze - >.out 2>.err
status=$?
exits 0
cat a.std | TMPDIR=/nonexistent "$tool" analyze - >.out 2>.err
status=$?
exits 2
run convert a.std no/such/place.std
exits 2

# a truncated .pft: refused with the way out, salvaged on demand
size=$(wc -c <a.pft)
head -c $((size * 2 / 3)) a.pft >cut.pft
run analyze cut.pft
exits 2
grep -q '^photofinish: cut.pft:[0-9]*: .*--salvage' .err || fail "no hint at --salvage"
run analyze --salvage cut.pft
[ "$status" -le 1 ] || fail "salvage failed"
prints "in what is left of cut.pft"
grep -q '^photofinish: cut.pft:[0-9]*: ' .err || fail "says nothing of the damage"
run convert --salvage cut.pft cut.std
exits 0
kept=$(wc -l <cut.std)
[ "$kept" -gt 0 ] && [ "$kept" -lt 50000 ] || fail "kept $kept events"
head -n "$kept" a.std >prefix.std
same_file prefix.std cut.std

# a damaged byte
cp a.pft damaged.pft
printf '\377' | dd of=damaged.pft bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
run analyze damaged.pft
exits 2
grep -q '^photofinish: damaged.pft:[0-9]*: ' .err || fail "no place"

# generate: bad values
run generate --threads 0
exits 2
[ "$(wc -l <.err)" -eq 1 ] || fail "one line expected"
run generate --events many
exits 2
complains "photofinish: generate: --events needs a whole number, not 'many'"
run generate --events -5
exits 2
run generate spare
exits 2
done_testing
