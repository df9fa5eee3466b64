# photofinish report of the JSON of a run gives the text and the page that the run itself gave.
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS

same() { # PROGRAM ARG...: its reports, once more from its JSON; the program itself prints nothing on stderr
    run run --json=run.json --html=run.html --sarif=run.sarif "$@"
    cp .err run.text
    checks=$((checks + 1))
    grep -q 'WARNING: Photofinish' run.text || fail "no race to tell of"
    run report --text run.json
    exits 0
    checks=$((checks + 1))
    cmp -s run.text .out || fail "not the text of run $*: $(diff run.text .out | head -20)"
    run report --html=again.html --sarif=again.sarif --json=again.json run.json
    exits 0
    same_file again.html run.html
    same_file again.sarif run.sarif
    same_file again.json run.json
    run report --quiet run.json
    cp .out quiet.text
    run report --quiet again.json
    same_file .out quiet.text
}

build libplace.so library.c -O2 -shared -fPIC
build places places.cpp -O1 ./libplace.so -Wl,-rpath,.
build shapes shapes.c -O1
build ends ends.c -O1
build heap heap.cpp -O0 -std=c++17
build edges edges.c -O1
build locks locks.c -O1
build many many.c -O1
build whereabouts whereabouts.cpp -O1 -std=c++17
for what in method template inlined global array heap new stack thread-stack atomic loop tls library held free; do
    same ./places $what
done
for what in counter half-locked checked unlocked published flag join handler-first pointer; do
    same ./shapes $what
done
for what in early posted-early loaded-relaxed pipe once readers barriers created; do
    same ./edges $what
done
same ./ends
same ./heap delete drop-first
same ./many
same ./locks
same ./locks many
same ./whereabouts
same ./whereabouts mapped
same sh -c './ends; ./shapes counter; ./shapes checked'
same --detector=eraser ./ends
same --detector=vc ./shapes half-locked

# with other ways to write, if report is told the same
for options in source_lines=0 source_lines=7 print_summary=0 dedup_token_length=2 "stack_trace_format='%n %f %S'" symbolize=0 \
    demangle=0 "strip_path_prefix=$live/" color=always; do
    export PHOTOFINISH_OPTIONS=$options
    same ./places method
    unset PHOTOFINISH_OPTIONS
done
export PHOTOFINISH_OPTIONS=exitcode=many
run report run.json
exits 2
complains "photofinish: report: bad option: exitcode=many; it is 0 to 255"

unset PHOTOFINISH_OPTIONS
# a trace is for the other command, and a report for this
run record --quiet -o t.pft ./ends
run report t.pft
exits 2
complains "photofinish: t.pft: a trace, not a report (photofinish analyze finds its races)"
run convert t.pft once.pft
run report once.pft
exits 2
complains "photofinish: once.pft: a trace, not a report (photofinish analyze finds its races)"
run analyze run.json
exits 2
complains "photofinish: run.json: JSON, not a trace (photofinish report shows what run --json has written)"

# --quiet, --verbose, and what is known
run run --quiet --json=run.json ./ends
cp .err run.text
run report --quiet run.json
same_file .out run.text
run run --verbose --json=run.json ./locks many
cp .err run.text
run report --verbose run.json
exits 0
same_file .out run.text
prints "Photofinish: what this verdict rests on:"
run merge run.json run.json -o twice.json
run report --verbose twice.json
prints "  history overwritten: "
run run --baseline=known.json --update-baseline ./shapes counter
exits 0
run run --baseline=known.json --json=run.json sh -c './shapes counter; ./shapes checked'
exits 66
cp .err run.text
run report run.json
same_file .out run.text
prints "Photofinish: reported 1 warning, and 1 known from known.json"
# whatever names a report has, each is part of its line
run run --json=run.json ./places global
sed -E 's#"(name|function|advice)": "[^"]*"#"\1": "x\\n::error::y\\u001b[1m"#; s#^( *)"([^"]*)\."(,?)$#\1"\2\\n::error::y."\3#' run.json >names.json
for form in --text --quiet; do
    run report $form names.json
    exits 0
    prints "x%0A::error::y%1B[1m"
    checks=$((checks + 1))
    ! grep -qE $'^::|\033' .out || fail "a name is no part of its line"
done

done_testing
