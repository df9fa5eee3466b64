# Many processes report at the same time into one pipe, one file, one terminal's worth of text: no report has anything of another
# in it.
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS
build together together.c -O0
start ./together
exits 66
races 1
checks=$((checks + 1))
[ "$(wc -c <.err)" -gt 8192 ] || fail "the report is too short to be mixed up"

# Reports without what differs from process to process, each as one line.
reports() { # FILE
    grep -v '^Photofinish: reported' "$1" | sed -E 's/0x[0-9a-f]+/HEX/g; s/(pid|tid)=[0-9]+/\1=N/g' |
        awk '/^==================$/ { if (inside) print line; inside = !inside; line = ""; next }
             { line = line "|" $0 } END { if (line != "") print "rest: " line }'
}
reports .err >one
[ "$(wc -l <one)" -eq 1 ] || fail "that is no report"

together() { # FILE N: N reports, and all are that one
    checks=$((checks + 1))
    reports "$1" >all
    [ "$(wc -l <all)" -eq "$2" ] || fail "$1 has $(wc -l <all) reports, not $2"
    [ "$(sort -u all | cut -c1-200 | wc -l)" -eq 1 ] && cmp -s one <(sort -u all) || fail "$1: reports are mixed up"
}

# whoever reads is slow, so that writers wait in the middle of a report
slowly() { sleep 1 && cat; }
starts() { # COMMAND...: 24 of them at once
    local i
    for i in $(seq 24); do
        "$@" &
    done
    wait
}

command_line="24 programs and one pipe" status=0
starts ./together 2>&1 | slowly >pipe
together pipe 24
command_line="24 programs and one file"
starts ./together 2>file
together file 24
: >appended
starts sh -c './together 2>>appended'
together appended 24

command_line="24 children of one program and one pipe"
./together 24 2>&1 | slowly >pipe
together pipe 24

command_line="photofinish run: 24 programs and one pipe"
cat >suite.sh <<'EOF'
for i in $(seq 24); do ./together & done
wait
EOF
"$tool" run --json=all.json sh suite.sh 2>&1 | slowly >pipe
together pipe 24
json all.json races 24
json all.json reported 24

command_line="make -j"
printf 'all: %s\n%s:\n\t-./together\n' "$(seq -s ' ' 24)" "$(seq -s ' ' 24)" >Makefile
"$tool" run make -s -j24 >.out 2>log
[ $? -eq 66 ] || fail "exit status"
grep -v '^make: ' log >reported
together reported 24

# a file for each process, named as told
command_line="log_path"
mkdir logs
PHOTOFINISH_OPTIONS=log_path=logs/race-%p.txt starts ./together 2>.err
[ ! -s .err ] || fail "something went elsewhere"
checks=$((checks + 1))
[ "$(ls logs | grep -cE '^race-[0-9]+\.txt$')" -eq 24 ] || fail "no 24 files: $(ls logs | head -3)"
for file in logs/*; do
    together "$file" 1
    grep -q "pid=$(basename "$file" .txt | sed 's/race-//'))" "$file" || fail "$file has another's report"
done
rm -r logs
mkdir logs
PHOTOFINISH_OPTIONS=log_path=logs/100%%:log_exe_name=1 start ./together
exits 66
[ "$(ls logs | grep -cE '^100%\.together\.[0-9]+$')" -eq 1 ] || fail "named otherwise: $(ls logs)"
done_testing
