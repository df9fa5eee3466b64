# photofinish run: exit statuses, what reaches the program, programs of several processes, programs of other builds.
. "$(dirname "$0")/lib.sh"
build ends ends.c -O1

# the program's own status without a race, 66 with one
run run ./ends clean
exits 7
prints "buffered"
complains "Photofinish: reported 0 warnings"
run run ./ends
exits 66
prints "buffered"
races 1
says "^Photofinish: reported 1 warning$"
run run --exit-code=9 ./ends
exits 9
run run --exit-code=0 ./ends exit-thread
exits 3
races 1
PHOTOFINISH_OPTIONS=exitcode=12 run run ./ends
exits 12
for way in exit exit-thread _exit _Exit exit_group quick_exit pthread_exit exit-in-handler exec fork vfork wait close-all; do
    run run ./ends $way
    exits 66
    races 1
done

# killed: 128 + the signal, or 66 after a race; the report is whole
run run ./ends abort
exits 66
races 1
says "^photofinish: ./ends was killed by signal 6 \(Aborted\)$"
run run ./ends kill
exits 66
races 1
run run ./ends clean-kill
exits 137
races 0
says "^photofinish: ./ends was killed by signal 9 \(Killed\)$"

# arguments, input, PATH, --
cat >echo.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        printf("[%s]", argv[i]);
    for (int c; (c = getchar()) != EOF;)
        putchar(c);
    return 0;
}
END
build echo-arguments ./echo.c
echo "some input" >input
run_with input run ./echo-arguments --json x -- --help -v
exits 0
prints "[--json][x][--][--help][-v]some input"
run run -- ./echo-arguments -- a
exits 0
prints "[--][a]"
PATH=$PWD:$PATH run run echo-arguments b
exits 0
prints "[b]"

# races of child processes count; what is not instrumented does not disturb
run run sh -c './ends clean; ./ends; echo between; ./ends exit'
exits 66
races 2
prints "between"
says "^Photofinish: reported 2 warnings$"
run run ./ends child-races
exits 66
prints "child 66"
races 1
run run sh -c 'exec 3>&- 4>&-; ./ends close-all >/dev/null; exit 0'
exits 66
races 1

# the program does not see us: no child, no descriptor of ours where its own go
run run ./ends wait
prints "wait -1"
start ./ends wait
prints "wait -1"
command_line="gcc ends.c" status=0
gcc -pthread "$live/ends.c" -o plain || fail "does not build"
next=$(./plain descriptors)
run run ./ends descriptors
prints "$next"
start ./ends descriptors
prints "$next"

# what cannot be checked is said, in one line
run run true
exits 64
complains "photofinish: run: true: no instrumented code was run, so nothing was checked (build it with pfcc or pfc++)"
run run ./nowhere
exits 64
complains "photofinish: run: ./nowhere: cannot run: No such file or directory"
run run ends
exits 64
complains "photofinish: run: ends: cannot run: No such file or directory (did you mean ./ends?)"
run run nowhere
exits 64
complains "photofinish: run: nowhere: cannot run: No such file or directory"
run run "$live/ends.c"
exits 64
complains "photofinish: run: $live/ends.c: cannot run: Permission denied"
run run
exits 64
run run --frobnicate ./ends
exits 64
complains "photofinish: run: unknown option '--frobnicate' (see photofinish run --help)"
run run --html=no/such/place --json=x.json ./ends
exits 64
complains "photofinish: run: no/such/place: cannot open for writing: No such file or directory"
[ -z "$(ls x.json* 2>/dev/null)" ] || fail "a file was left"
run run --sarif=no/such/place ./ends
exits 64
complains "photofinish: run: no/such/place: cannot open for writing: No such file or directory"
run run --detector=none ./ends
exits 64
complains "photofinish: run: no detector 'none' (photofinish detectors lists them)"
run run --exit-code=300 ./ends
exits 64
run run --exit-code=256 ./ends
exits 64
run run --json= ./ends clean
exits 64
complains "photofinish: run: --json needs a value"
run run --json ./ends
exits 64
complains "photofinish: run: expected [--] PROG ARG...: './ends' is the value of --json (see photofinish run --help)"
run run --json=no/such/place.json ./ends clean
exits 64
run run --log=no/such/place ./ends clean
exits 64
run run --suppressions=nowhere ./ends clean
exits 64
complains "photofinish: nowhere: cannot open: No such file or directory"
prints_nothing

# --log takes the reports, the program keeps its standard error
run run --log=races.log sh -c './ends; echo its own >&2'
exits 66
complains "its own"
races 1 races.log

# a program that gcc linked to its own runtime
command_line="gcc -fsanitize=thread" status=0
if echo 'int main(void){return 0;}' | gcc -fsanitize=thread -x c - -o probe 2>/dev/null; then
    gcc -fsanitize=thread -g -O1 -pthread "$live/ends.c" -o ends-tsan || fail "does not build"
    run run ./ends-tsan
    exits 66
    races 1
    says "#0 race .*/ends.c:[0-9]+ \(ends-tsan\+0x"
    run run ./ends-tsan clean
    exits 7
fi

# signals that somebody sends to us are for the program
cat >waits.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void on_signal(int number)
{
    (void)number;
    _exit(5);
}
int main(void)
{
    signal(SIGTERM, on_signal);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
END
build waits ./waits.c
command_line="photofinish run ./waits, then SIGTERM"
mkfifo ready
"$tool" run ./waits >ready 2>.err &
runner=$!
read -r line <ready
kill -TERM $runner
wait $runner
status=$?
exits 5
done_testing
