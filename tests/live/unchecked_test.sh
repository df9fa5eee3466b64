# A run of which nothing was checked does not look like a clean one: it says so, and writes no report.
. "$(dirname "$0")/lib.sh"
build ends ends.c -O1
build whole ends.c -O1 --pf-static

no_report() { # REASON: the only line that `run` itself says
    checks=$((checks + 1))
    says "^Photofinish: nothing was checked \($1\)$"
    says_not "reported"
    [ -z "$(ls report.* 2>/dev/null)" ] || fail "a report was written: $(ls report.*)"
    rm -f report.*
}
files="--json=report.json --html=report.html --sarif=report.sarif"
refused="a process was refused, and said why"

for bad in exitcode=many history=full include=nowhere suppressions=nowhere detector=none; do
    PHOTOFINISH_OPTIONS=$bad run run $files ./ends clean
    exits 64
    prints_nothing
    no_report "$refused"
done
echo "nonsense" >bad.supp
PHOTOFINISH_OPTIONS=suppressions=bad.supp run run $files ./ends clean
exits 64
says "^photofinish: bad.supp:1: not a suppression"
no_report "$refused"
run run $files --detector=vc ./whole clean
exits 64
says "^photofinish: detector 'vc': this program runs with a runtime that has only fasttrack2"
no_report "$refused"
PHOTOFINISH_OPTIONS=exitcode=many run run --log=log.txt ./ends clean
grep -qxF "Photofinish: nothing was checked ($refused)" log.txt || fail "the log does not say it"

# of a recording, too
PHOTOFINISH_OPTIONS=exitcode=many run record -o trace.pft ./ends clean
exits 64
complains "photofinish: bad option: exitcode=many; it is 0 to 255"
[ ! -e trace.pft ] || fail "a trace was left"

# reports are off: by the user, or by the program
run run $files --detector=nop ./ends
exits 64
no_report "nop does nothing"
off="reports were off: report_bugs=0"
PHOTOFINISH_OPTIONS=report_bugs=0 run run $files ./ends
exits 64
says "^photofinish: reports are off \(report_bugs=0\)$"
no_report "$off"
PHOTOFINISH_OPTIONS=report_bugs=0 run run $files sh -c './ends; true'
exits 64
no_report "$off"
PHOTOFINISH_OPTIONS=report_bugs=0 run run $files ./ends clean
exits 7
no_report "$off"
TSAN_OPTIONS=report_bugs=0 run run $files ./ends # as TSan ends
exits 0
says "^photofinish: reports are off \(report_bugs=0\)$"
no_report "$off"
for ending in "" _exit quick_exit; do
    # shellcheck disable=SC2086
    PHOTOFINISH_OPTIONS=report_bugs=0 start ./ends $ending
    exits 64
    complains "photofinish: reports are off (report_bugs=0)"
done
PHOTOFINISH_OPTIONS=report_bugs=0:exitcode=0 start ./ends
exits 0
TSAN_OPTIONS=report_bugs=0 start ./ends
exits 0
complains "photofinish: reports are off (report_bugs=0)"
PHOTOFINISH_OPTIONS=detector=nop start env LD_LIBRARY_PATH="$(dirname "$tool")/../lib/photofinish-generic" ./ends
exits 64
complains "photofinish: nothing is checked (detector=nop)"
PHOTOFINISH_OPTIONS=report_bugs=0 run record -o off.pft ./ends # it has no reports
exits 0
cat >quiet.c <<'SOURCE'
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "report_bugs=0";
}
int main(void)
{
    return 0;
}
SOURCE
build quiet ./quiet.c
run run $files ./quiet
exits 0
complains "Photofinish: nothing was checked (reports were off: report_bugs=0)"
no_report "reports were off: report_bugs=0"

# a part was checked: the reports say so
run run $files sh -c './ends clean; PHOTOFINISH_OPTIONS=exitcode=many ./ends clean; exit 0'
exits 70
says "^Photofinish: reported 0 warnings, but not everything was checked \($refused\)$"
json report.json completeness/refused 1
json report.json completeness/processes 1
json report.sarif runs/0/invocations/0/executionSuccessful false
grep -q "<title>0 races, not everything checked: sh" report.html || fail "the page looks clean"
run report report.json
prints "Photofinish: reported 0 warnings, but not everything was checked ($refused)"
run merge report.json report.json -o twice.json
run report twice.json
prints "Photofinish: reported 0 warnings, but not everything was checked ($refused)"
run run $files sh -c './ends; ./quiet; exit 0'
exits 66
says "^Photofinish: reported 1 warning, but not everything was checked \(reports were off: report_bugs=0\)$"
json report.json completeness/reports_off 1

# all was
run run $files ./ends clean
exits 7
complains "Photofinish: reported 0 warnings"
json report.sarif runs/0/invocations/0/executionSuccessful true
grep -q "<title>0 races: ./ends" report.html || fail "the page has another title"
done_testing
