# Fingerprints; photofinish report, photofinish merge: reports of runs turned into others, and united.
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS
build libplace.so library.c -O2 -shared -fPIC
build places places.cpp -O1 ./libplace.so -Wl,-rpath,.
fingerprint() { "$json_at" "$1" "races/${2:-0}/fingerprint"; }
same() { checks=$((checks + 1)) && [ "$1" = "$2" ] || fail "$3: $1, $2"; }
differ() { checks=$((checks + 1)) && [ "$1" != "$2" ] || fail "$3: both $1"; }

# what `report` makes of the JSON is what `run` has printed
for what in method inlined heap stack thread-stack atomic loop tls held free; do
    run run --json=$what.json ./places $what
    exits 66
    json $what.json races/0/fingerprint '[0-9a-f]{16}'
    cp .err printed
    run report $what.json
    exits 0
    cp .out .err # for fail
    same_file printed .out
done
run report --json=- held.json
cp .out again.json
same_file held.json again.json
run_with held.json report --quiet -
exits 0
[ "$(wc -l <.out)" -eq 2 ] || fail "two lines expected"
prints "SUMMARY: Photofinish: data race "
run report --text --json=copy.json held.json
prints "WARNING: Photofinish: data race"
same_file held.json copy.json

# the fingerprint: the same in every run and whichever access is second; not the same for others
PHOTOFINISH_OPTIONS=strip_path_prefix=/ run run --json=again.json ./places method
same "$(fingerprint method.json)" "$(fingerprint again.json)" "another run"
differ "$(fingerprint method.json)" "$(fingerprint heap.json)" "other races"
differ "$(fingerprint heap.json)" "$(fingerprint tls.json)" "other calls"
cat >order.c <<'END'
#include <pthread.h>
#include "unseen.h"
int shared;
LINES
static int get(void)
{
    MORE
    return shared;
}
static void put(void)
{
    shared = 1;
}
static void *other(void *put_first)
{
    if (put_first)
        put();
    else
        get();
    unseen_signal(1);
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, 0, other, argc > 1 ? argv : 0);
    unseen_wait(1);
    if (argc > 1)
        get();
    else
        put();
    pthread_join(t, 0);
    return 0;
}
END
build order ./order.c -O0 -DLINES= -DMORE= -I"$live/../programs"
run run --json=read-write.json ./order
run run --json=write-read.json ./order put-first
json read-write.json races/0/kind read-write
json write-read.json races/0/kind write-read
same "$(fingerprint read-write.json)" "$(fingerprint write-read.json)" "the other order"
mkdir other && sed 's/^LINES/\n\n\n/' order.c >other/order.c
build order2 ./other/order.c -O0 -DMORE= -I"$live/../programs"
run run --json=moved.json ./order2
same "$(fingerprint read-write.json)" "$(fingerprint moved.json)" "lines added above, in another folder"
sed 's/MORE/\n/' order.c >other/order.c
build order3 ./other/order.c -O0 -DLINES= -I"$live/../programs"
run run --json=moved.json ./order3
differ "$(fingerprint read-write.json)" "$(fingerprint moved.json)" "another line of the function"

# merge: each race once, with how often and where; members of other versions stay
sed 's/"kind": "read-write"/"kind": "read-write", "of_tomorrow": [1, 2]/' read-write.json >tomorrow.json
run merge tomorrow.json method.json write-read.json -o all.json
exits 0
prints_nothing
complains_not
json all.json races 2
json all.json reported 2
json all.json runs 3
json all.json runs/0/program ./order
json all.json runs/2/arguments/0 put-first
json all.json program null
json all.json detector fasttrack2
json all.json races/0/times 2
json all.json races/0/runs/0 0
json all.json races/0/runs/1 2
json all.json races/0/of_tomorrow 2
json all.json races/1/times 1
json all.json races/1/runs/0 1
run merge method.json all.json
exits 0
cp .out twice.json
json twice.json runs 4
json twice.json races/0/times 2
json twice.json races/0/runs/1 2
json twice.json races/1/runs/1 3
run merge all.json -o all.json
exits 0
json all.json races 2
run report all.json
prints "Photofinish: found 2 times"
prints "Photofinish: reported 2 warnings"

# a report of before there were fingerprints
sed '/"fingerprint"/d' method.json >old.json
run merge old.json method.json -o all.json
exits 0
json all.json races 1
json all.json races/0/fingerprint "$(fingerprint method.json)"

# what is no report is refused, in one line
run report nowhere.json
exits 2
complains "photofinish: nowhere.json: cannot open: No such file or directory"
echo '{"tool": "photofinish", "races": [' >cut.json
run report cut.json
exits 2
[ "$(wc -l <.err)" -eq 1 ] || fail "one line expected"
says "^photofinish: cut.json:[12]: not JSON: "
echo '{"tool": "another", "races": []}' >other.json
run merge method.json other.json
exits 2
prints_nothing
complains "photofinish: other.json: not a report of photofinish run --json"
"$tool" analyze --json "$examples/bank.std" >trace.json
run report trace.json
exits 2
complains "photofinish: trace.json: a report of photofinish analyze; only those of photofinish run can be used here"
echo '{"tool": "photofinish", "races": [{"first": 1}]}' >bad.json
run report bad.json
exits 2
complains "photofinish: bad.json: a race in it lacks the first or the second access"
echo '{"tool": "photofinish", "races": [{"first": {}, "second": {"stack": [7, null, {"line": -3, "file": 5}], "held": [{}]}, "threads": [[]], "mutexes": {}}]}' >odd.json
run report odd.json
exits 0
prints "WARNING: Photofinish: data race"
run report --json=/dev/full method.json
exits 70
run report --json=no/such/place method.json
exits 2
run merge
exits 2
done_testing
