# photofinish run --baseline: only new races fail; --update-baseline writes it.
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS
build libplace.so library.c -O2 -shared -fPIC
build places places.cpp -O1 ./libplace.so -Wl,-rpath,.
cat >both.sh <<'END'
./places method; first=$?
./places global; echo "statuses $first $?"
exit 5
END

# there must be one, unless it is being made
run run --baseline=races.json ./places method
exits 64
complains "photofinish: races.json: no such file (--update-baseline writes it)"
run run --update-baseline ./places method
exits 64
complains "photofinish: run: --update-baseline needs --baseline=FILE"
echo nonsense >bad.json
run run --baseline=bad.json ./places method
exits 64
says "^photofinish: bad.json:1: not JSON"
run run --baseline=bad.json --update-baseline ./places method
exits 64
[ "$(cat bad.json)" = nonsense ] || fail "it was overwritten"
run run --baseline=none.json --update-baseline true
exits 64
[ ! -e none.json ] || fail "nothing was checked, but a baseline written"
run run --baseline=no/such/races.json --update-baseline ./places method
exits 64
complains "photofinish: no/such/races.json: cannot open for writing: No such file or directory"
run run --baseline=one.json --update-baseline --json one.json ./places method
exits 64
complains "photofinish: run: one.json: a report cannot go to the baseline that is updated"
[ ! -e one.json ] || fail "a baseline was written"
run run --gen-suppressions=/dev/full ./places method
exits 70

run run --baseline=races.json --update-baseline ./places method
exits 0
says "^SUMMARY: Photofinish: data race .*/places.cpp:15 in bank::Account::deposit\(int\)$"
says "^Photofinish: 1 race added to races.json$"
json races.json races 1
cp races.json before.json

# what is known is a line, and no failure: neither of the whole nor of the process
run run --baseline=races.json ./places method
exits 0
races 0
says "^Photofinish: known race [0-9a-f]{16} .*/places.cpp:15 in bank::Account::deposit\(int\)$"
says "^Photofinish: reported 0 warnings, and 1 known from races.json$"
[ "$(grep -c '^Photofinish: known race' .err)" -eq 1 ] || fail "a known race is one line, in however many ways its accesses meet"
same_file races.json before.json
run run --baseline=races.json --json=out.json --sarif=out.sarif sh both.sh
exits 66
prints "statuses 0 66"
races 1
says "^Photofinish: reported 1 warning, and 1 known from races.json$"
json out.json reported 1
json out.json known 1
json out.json races/0/known true
json out.sarif runs/0/results/0/baselineState unchanged
json out.sarif "runs/0/results/$(($("$json_at" out.json races) - 1))/baselineState" new
PHOTOFINISH_OPTIONS=halt_on_error=1 run run --baseline=races.json ./places method
exits 0
run run --baseline=races.json --github ./places method
exits 0
prints_nothing

# adding to it leaves what is there
run run --baseline=races.json --update-baseline sh both.sh
exits 5
prints "statuses 0 0"
says "^Photofinish: 1 race added to races.json$"
json races.json races 2
json races.json races/0/fingerprint "$("$json_at" before.json races/0/fingerprint)"
run run --baseline=races.json sh both.sh
exits 5
cp races.json before.json
run run --baseline=races.json --update-baseline sh both.sh
exits 5
says "^Photofinish: 0 races added to races.json$"
same_file races.json before.json

# a race that is known, or suppressed, does not hide another one on the same variable
cat >two.c <<'END'
#include <pthread.h>
#include "unseen.h"
int shared;
__attribute__((noinline)) static void one(void)
{
    shared = 1;
}
__attribute__((noinline)) static void two(void)
{
    shared = 2;
}
static void *first(void *x)
{
    one();
    unseen_signal(1);
    return x;
}
static void *second(void *x)
{
    unseen_wait(1);
    one();
    unseen_signal(2);
    return x;
}
static void *third(void *x)
{
    unseen_wait(2);
    if (x)
        two();
    return x;
}
int main(int argc, char **argv)
{
    pthread_t t[3];
    void *(*const roles[])(void *) = {first, second, third};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, roles[i], argc > 1 ? argv : 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
END
build two ./two.c -O1 -I"$live/../programs"
run run --baseline=two.json --update-baseline --gen-suppressions=two.supp ./two
exits 0
json two.json races 1
run run ./two more
races 1
run run --baseline=two.json ./two more
exits 66
races 1
says "SUMMARY: Photofinish: data race .*two.c:10 in two"
run run --suppressions=two.supp ./two more
exits 66
races 1
says "SUMMARY: Photofinish: data race .*two.c:10 in two"

run run --baseline=two.json --update-baseline ./two more
exits 0
says "SUMMARY: Photofinish: data race .*two.c:10 in two"
run run --baseline=two.json ./two more
exits 0
races 0
run run --baseline=fresh.json --update-baseline ./two more # at once
json fresh.json races '[2-9]'
run run --baseline=fresh.json ./two more
exits 0
races 0
run run --baseline=fresh.json --update-baseline --exit-code=9 ./places heap
exits 9

# any report can be one
run merge out.json races.json -o merged.json
run run --baseline=merged.json sh both.sh
exits 5
run report races.json
exits 0
prints "Photofinish: reported 2 warnings"

# no race at all: an empty one
run run --baseline=empty.json --update-baseline ./places nothing
exits 0
json empty.json races 0
run run --baseline=empty.json ./places method
exits 66

# --quiet: a line a race
run run --quiet ./places method
exits 66
[ "$(wc -l <.err)" -eq 2 ] || fail "two lines expected"
says "^SUMMARY: Photofinish: data race .*/places.cpp:15 in bank::Account::deposit\(int\)$"
says "^Photofinish: reported 1 warning$"

# colours: on a terminal, unless NO_COLOR is set
if command -v script >/dev/null; then
    colored() { script -qec "$*" /dev/null </dev/null | grep -c $'\033\\['; }
    unset NO_COLOR
    [ "$(colored "$tool" run ./places method)" -gt 0 ] || fail "no colours on a terminal"
    [ "$(colored env NO_COLOR=1 "$tool" run ./places method)" -eq 0 ] || fail "colours in spite of NO_COLOR"
    [ "$(colored "$tool" report races.json)" -gt 0 ] || fail "report: no colours on a terminal"
    [ "$(colored env NO_COLOR=1 "$tool" report races.json)" -eq 0 ] || fail "report: colours in spite of NO_COLOR"
    checks=$((checks + 4))
fi
run run ./places method
says_not $'\033'
done_testing
