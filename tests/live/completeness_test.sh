# What a verdict rests on: modules that are not instrumented, history that was overwritten, calls that are not modelled,
# what the program asked to ignore. In words with verbosity=1 and run --verbose, in the JSON always.
. "$(dirname "$0")/lib.sh"

cat >plain.c <<'END'
int plain_library(int *p) { return ++*p; }
END
cat >program.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>
void AnnotateIgnoreReadsBegin(const char *, int);
void AnnotateIgnoreReadsEnd(const char *, int);
void AnnotateBenignRaceSized(const char *, int, unsigned long, unsigned long, const char *);
int plain_library(int *);
static volatile int cells[100000];
static void touch(int i) { cells[i]++; }
int main(int argc, char **argv)
{
    int number = 0, seen = 0;
    for (; argc > 1; argc--, argv++) {
        if (strcmp(argv[1], "ignore") == 0) {
            AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
            AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
            AnnotateBenignRaceSized(__FILE__, __LINE__, (unsigned long)&cells[5], 4, "test");
        }
        if (strcmp(argv[1], "history") == 0)
            for (int i = 0; i < 90000; i++)
                touch(i * 7919 % 100000);
        if (strcmp(argv[1], "shmat") == 0)
            seen += shmat(-1, NULL, 0) == (void *)-1;
        if (strcmp(argv[1], "fork") == 0) {
            if (fork() == 0)
                exit(0);
            wait(NULL);
        }
    }
    return plain_library(&number) - 1;
}
END
command_line="gcc plain.c" status=0
gcc -shared -fPIC plain.c -o libplain.so || fail "does not build"
build program ./program.c ./libplain.so -Wl,-rpath,.

start ./program
exits 0
complains_not
PHOTOFINISH_OPTIONS=verbosity=1 start ./program
exits 0
says "^Photofinish: what this verdict rests on:$"
says "not instrumented .*: [^,]*/libplain.so$"
says "^  history overwritten: 0 entries of 0 threads"
says "^  calls that are not modelled: none$"
says "^  ignored at the program's request: 0 regions of code, 0 ranges of memory$"
run run ./program
exits 0
complains "Photofinish: reported 0 warnings"
PHOTOFINISH_OPTIONS=check_single_threaded=1 run run --verbose --json=out.json ./program ignore history shmat
exits 0
says "not instrumented .*: [^,]*/libplain.so$"
says "^  history overwritten: [1-9][0-9]* entries of 1 threads"
says "^  calls that are not modelled: shmat$"
says "^  ignored at the program's request: 1 regions of code, 1 ranges of memory$"
json out.json completeness/uninstrumented_modules 1
json out.json completeness/uninstrumented_modules/0 '.*/libplain\.so'
json out.json completeness/unmodelled_calls/0 shmat
json out.json completeness/history_overwritten/threads 1
json out.json completeness/ignored/regions 1
json out.json completeness/ignored/ranges 1
json out.json completeness/processes 1
run run --json=out.json ./program fork
exits 0
json out.json completeness/processes 2
json out.json completeness/uninstrumented_modules 1

# a timer that is set for the whole run, whose function knows nothing of the threads that come and go meanwhile: not all of what they did is
# kept for it
cat >timer.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
static void ring(union sigval value) { (void)value; }
static char own[10000];
static void *work(void *byte) { *(char *)byte = 1; return NULL; }
int main(int argc, char **argv)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring};
    struct itimerspec hour = {.it_value = {.tv_sec = 3600}}, never = {.it_value = {.tv_sec = 0}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &hour, NULL) != 0)
        return 1;
    if (argc > 2)
        timer_settime(timer, 0, &never, NULL);
    for (int i = 0; i < atoi(argv[1]); i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, &own[i]);
        pthread_join(thread, NULL);
    }
    return 0;
}
END
build timer ./timer.c
for arguments in "500" "6000 stopped"; do
    # shellcheck disable=SC2086
    PHOTOFINISH_OPTIONS=verbosity=1 start ./timer $arguments
    exits 0
    says "^  calls that are not modelled: none$"
done
PHOTOFINISH_OPTIONS=verbosity=1 start ./timer 6000
exits 0
says "^  calls that are not modelled: SIGEV_THREAD$"

# with the runtime in the program, it is still known that the program is instrumented
build static ./program.c ./libplain.so -Wl,-rpath,. --pf-static
run run --json=out.json ./static
exits 0
json out.json completeness/uninstrumented_modules 1

# files of the program that another compiler has compiled
echo 'int plain_library(int *p) { return ++*p; }' >"plain file.c"
gcc -c "plain file.c" -o plain.o || fail "does not build"
line="^  files that are not instrumented in modules that are \(what they access is not seen\):"
for compiler in gcc clang-19; do
    for options in "" "-O2 -flto" "--placement=bigfoot" "--pf-static"; do
        # shellcheck disable=SC2086
        PF_CC=$compiler build partly ./program.c plain.o $options
        run run --verbose --json=out.json ./partly
        exits 0
        says "$line plain file\.c in [^ ]*/partly$"
        json out.json completeness/uninstrumented_files 1
        json out.json completeness/uninstrumented_files/0 'plain file\.c in /.*/partly'
        # shellcheck disable=SC2086
        PF_CC=$compiler build wholly ./program.c "./plain file.c" $options
        run run --verbose --json=out.json ./wholly
        exits 0
        says "$line none$"
        json out.json completeness/uninstrumented_files 0
        strip partly
        run run --verbose ./partly
        exits 0
        says "$line none$"
    done
done

# OpenMP's library orders threads in ways that are not seen: said where there are reports, and only there
cat >openmp.c <<'END'
#include <string.h>
int numbers[100], sum;
int main(int count, char **argument)
{
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 100; i++)
        numbers[i] = i;
    if (count > 1 && strcmp(argument[1], "alone") == 0)
        return 0;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 100; i++)
        sum = numbers[99 - i];
    return 0;
}
END
build openmp ./openmp.c -O1 -fopenmp
line="^Photofinish: libgomp\.so[.0-9]* is not instrumented, and how OpenMP orders threads is not seen: "
start ./openmp
exits 66
says "$line"
run run --json=out.json ./openmp
exits 66
says "$line"
[ "$(grep -cE "$line" .err)" -eq 1 ] || fail "more than once"
run report out.json
grep -qE "$line" .out || fail "the report does not say so"
run run ./openmp alone
exits 0
says_not "OpenMP"

# TSan's own runtime in the program
if command -v clang-19 >/dev/null && clang-19 -fsanitize=thread program.c ./libplain.so -Wl,-rpath,. -o other 2>/dev/null; then
    run run ./other
    exits 64
    says "^photofinish: run: ./other: ThreadSanitizer's own runtime is linked into this program"
    for path in ":$PATH" "/nowhere::$PATH" "$PATH:"; do # an empty part of PATH is the current directory
        PATH=$path run run other
        exits 64
        says "^photofinish: run: other: ThreadSanitizer's own runtime is linked into this program"
    done
fi
done_testing
