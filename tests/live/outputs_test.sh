# What run, report and merge write is whole or not there, wherever it goes; what they read may be anything.
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS
build ends ends.c -O1
run run --json=run.json --html=run.html --sarif=run.sarif ./ends
exits 66
no_parts() { checks=$((checks + 1)) && ! ls *.part-* >/dev/null 2>&1 || fail "$(ls *.part-*) was left behind"; }
whole() { # FILE...: JSON with a race, not mixed with anything
    for file; do
        checks=$((checks + 1))
        "$json_at" "$file" ${2:-races} >/dev/null || fail "$file is not whole"
    done
}

# closed descriptors: no report is written into a file that has got their number
for closed in '<&- >&- 2>&-' '2>&-' '>&- 2>&-' '<&-'; do
    rm -f out.*
    start bash -c "exec $tool run --json=out.json --html=out.html --sarif=out.sarif ./ends $closed"
    exits 66
    whole out.json
    json out.sarif version 2.1.0
    checks=$((checks + 1))
    [ "$(head -c 15 out.html)" = "$(head -c 15 run.html)" ] || fail "the page begins with something else ($closed)"
done
start bash -c "exec $tool report run.json >&-"
exits 70

# nobody reads the text: the program and the files go on
start bash -c "set -o pipefail; $tool run --json=out.json ./ends 2>&1 | true"
exits 66
whole out.json
no_parts

# one file for two formats; a link, and the mode of what was there; no room
rm -f out.*
run run --json=out.json --html=out.json ./ends
exits 64
complains "photofinish: run: out.json: two formats cannot go to one file"
run report --json=out.json --sarif=./out.json run.json
exits 2
run report --json=- --html=- run.json
exits 2
[ ! -e out.json ] || fail "something was written"

# nor is what is read emptied by what is written
cp run.json known.json
echo race:nobody >known.supp
for options in "--log=known.json --baseline=./known.json" "--gen-suppressions=known.json --baseline=known.json" \
    "--log=./known.supp --suppressions=known.supp" "--gen-suppressions=known.supp --suppressions=known.supp" \
    "--json=known.supp --suppressions=known.supp" "--log=out.json --json=./out.json" "--log=out.json --gen-suppressions=out.json"; do
    run run $options ./ends
    exits 64
done
complains "photofinish: run: out.json: this file is named twice, and would be overwritten"
cmp run.json known.json && [ "$(cat known.supp)" = race:nobody ] && [ ! -e out.json ] || fail "something was written"
run run --log=/dev/null --json=/dev/null ./ends
exits 66

# a program that becomes another, which ends as one with bad options does, has its report
printf '#include <unistd.h>\nint main(void) { execl("/bin/sh", "sh", "-c", "exit 64", (char *)0); return 1; }\n' >becomes.c
"$pfcc" becomes.c -o becomes || fail "becomes.c does not compile"
run run --json=becomes.json ./becomes
exits 64
json becomes.json races 0

# nor the program, nor anything when there is nothing to write instead
cp ends kept
for option in log json html sarif gen-suppressions; do
    run run --$option=./ends "$PWD/ends"
    exits 64
    complains "photofinish: run: $PWD/ends: this is the program, and would be overwritten"
    cp run.json old
    run run --$option=old ./nowhere
    exits 64
    run run --$option=old /bin/true
    exits 64
    cmp run.json old || fail "--$option: an old file is lost"
done
cmp ends kept || fail "the program is lost"
run run --log=old --gen-suppressions=old.supp ./ends
exits 66
[ "$(head -c 3 old)" = === ] && grep -q ^race old.supp || fail "an old file is not overwritten"
cp run.json real.json
chmod 640 real.json
ln -s real.json link.json
run merge link.json -o link.json
exits 0
[ -L link.json ] || fail "the link has become a file"
json real.json races/0/times 1
[ "$(stat -c %a real.json)" = 640 ] || fail "the mode has changed"
start bash -c "ulimit -f 1; exec $tool report --html=large.html run.json"
exits 70
complains "photofinish: large.html: cannot write: File too large"
[ ! -e large.html ] || fail "half a page"
no_parts

# ended while it writes, even by KILL where files can be without a name
mkfifo pipe
nameless() { ls -l /proc/$1/fd 2>/dev/null | grep -qF "$PWD/#"; }
for signal in TERM HUP KILL; do
    "$tool" report --html=out.html --sarif=pipe run.json 2>.err &
    report=$!
    while ! nameless $report && ! ls out.html.part-* >/dev/null 2>&1; do
        kill -0 $report || fail "it has ended"
    done
    [ $signal = KILL ] && ls out.html.part-* >/dev/null 2>&1 && rm out.html.part-* # it cannot be helped here
    kill -$signal $report
    wait $report 2>/dev/null
    no_parts
    [ ! -e out.html ] || fail "half a page"
done

# what is there is replaced as a whole, whatever a killed process has left beside it
cp run.json out.json
run report --json=out.json --html=out.html run.json
exits 0
whole out.json
run report --html=out.html run.json
exits 0
no_parts

# what is read
run report .
exits 2
complains "photofinish: .: cannot read: Is a directory"
{
    echo '{"tool": "photofinish", "races": [0'
    yes ',"0123456789012345678901234567890123456789"' | head -1000000
} >large.json
start bash -c "ulimit -v 100000; exec $tool report large.json"
exits 70
complains "photofinish: out of memory while reading large.json"
damaged() { # SED-EXPRESSION: of the report; all formats can be made of it
    sed "$1" run.json >damaged.json
    start timeout "$(limit 60)" "$tool" report --text --html=out.html --sarif=out.sarif --github damaged.json
    exits 0
}
damaged 's/"module": "[^"]*"/"module": null/'
damaged 's/"module": "[^"]*"/"module": {"a": []}/'
damaged "s|\"file\": \"[^\"]*\"|\"file\": \"$PWD/pipe\"|"
damaged 's|"file": "[^"]*"|"file": "/dev/zero"|'
damaged 's/"line": [0-9]*/"line": 4294967295/'
damaged 's/"thread": "[^"]*"/"thread": "T99999999999999999999"/'
done_testing
