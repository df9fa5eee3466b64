# --sarif and --github: what code hosts are given.
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS
sarif_check=$(dirname "$json_at")/sarif_check
valid() { # FILE
    checks=$((checks + 1))
    "$sarif_check" "$1" >.faults || { cat .faults && fail "$1 is no good SARIF"; }
}
result=runs/0/results/0
place=physicalLocation

# a project of its own, with names that need care
mkdir -p 'my project/src'
cp "$live/places.cpp" 'my project/src/a, 5% b: c.cpp'
cp "$live/library.c" 'my project/'
mkdir programs && cp "$live/../programs/unseen.h" 'my project/programs-unseen.h'
sed -i 's|../programs/unseen.h|../programs-unseen.h|' 'my project/src/a, 5% b: c.cpp'
cd 'my project' || exit 1
build libplace.so ./library.c -O2 -shared -fPIC
build places './src/a, 5% b: c.cpp' -O1 ./libplace.so -Wl,-rpath,.

run run --sarif=out.sarif --json=out.json ./places held
exits 66
valid out.sarif
json out.sarif runs/0/tool/driver/name Photofinish
json out.sarif runs/0/results 1
json out.sarif $result/ruleId data-race
json out.sarif $result/level error
json out.sarif $result/locations/0/$place/artifactLocation/uri 'src/a,%205%25%20b%3A%20c\.cpp'
json out.sarif $result/locations/0/$place/region/startLine '[1-9][0-9]*'
json out.sarif $result/relatedLocations/0/$place/region/startLine '[1-9][0-9]*'
json out.sarif $result/relatedLocations/1/message/text 'Thread T1 was created here'
json out.sarif $result/codeFlows/0/threadFlows/0/id T1
json out.sarif $result/codeFlows/0/threadFlows/1/id main
json out.sarif $result/message/text "Data race on global 'plain_global': write of 4 bytes by the main thread in direct\(int\*\), after a write of 4 bytes by thread T1 in direct\(int\*\) \(\[the earlier access\]\(1\)\)\. .*"
fingerprint=$("$json_at" out.json races/0/fingerprint)
json out.sarif $result/partialFingerprints/primaryLocationLineHash "$fingerprint:1"
for what in method template inlined heap new stack thread-stack atomic loop tls free library; do
    run run --sarif=$what.sarif ./places $what
    exits 66
    valid $what.sarif
    json $what.sarif runs/0/results '[1-9]'
done
json free.sarif $result/ruleId data-race-free

# no race; a detector that is not precise
run run --sarif=none.sarif ./places nothing
exits 0
valid none.sarif
json none.sarif runs/0/results 0
run run --detector=eraser --sarif=eraser.sarif ./places global
valid eraser.sarif
json eraser.sarif $result/ruleId possible-data-race
json eraser.sarif $result/level warning

# sources that lie elsewhere, and no debug information: the program stands for them
mkdir ../elsewhere && cd ../elsewhere || exit 1
cp '../my project/libplace.so' .
run run --sarif=out.sarif '../my project/places' global
exits 66
valid out.sarif
json out.sarif $result/locations/0/$place/artifactLocation/uri places
PHOTOFINISH_OPTIONS=symbolize=0 run run --sarif=out.sarif '../my project/places' global
exits 66
valid out.sarif
cd '../my project' || exit 1

# the same from the JSON
run report --sarif=again.sarif out.json
exits 0
prints_nothing
same_file out.sarif again.sarif

# annotations: a line a race, what GitHub would misunderstand is escaped; when asked for, or there
run run --github ./places held
exits 66
[ "$(grep -c '^::' "$scratch/.out")" -eq 1 ] || fail "one line expected"
grep -qE "^::error file=src/a%2C 5%25 b%3A c.cpp,line=[0-9]+,(col=[0-9]+,)?title=Data race::Data race on global 'plain_global': write of .*%0AThe earlier access: src/a, 5%25 b: c.cpp:[0-9]+%0A" "$scratch/.out" || fail "the annotation"
GITHUB_ACTIONS=true run run ./places held
[ "$(grep -c '^::error ' "$scratch/.out")" -eq 1 ] || fail "one line expected"
GITHUB_ACTIONS=true run run ./places nothing
exits 0
prints_nothing
run run ./places held
prints_nothing
run report --github out.json
exits 0
[ "$(grep -c '^::error ' "$scratch/.out")" -eq 1 ] || fail "one line expected"
run run --detector=eraser --github ./places global
prints "::warning file="

# the check itself: what hosts refuse is refused
refuses() { # WHAT SED-EXPRESSION
    sed "$2" out.sarif >bad.sarif
    cmp -s out.sarif bad.sarif && fail "$1: nothing changed"
    checks=$((checks + 1))
    "$sarif_check" bad.sarif >/dev/null && fail "$1 was not noticed"
}
refuses "line 0" 's/"startLine": [0-9]*/"startLine": 0/'
refuses "an absolute path" 's|"uri": "src|"uri": "/src|'
refuses "no region" 's/"region"/"no_region"/'
refuses "no locations" 's/"locations"/"no_locations"/'
refuses "another version" 's/"2\.1\.0"/"2.0.0"/'
refuses "another rule" 's/"ruleIndex": 0/"ruleIndex": 1/'
done_testing
