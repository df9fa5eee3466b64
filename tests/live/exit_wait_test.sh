# A program that exits while threads of it run: they get time to reach their accesses. What is asserted is why the exit
# went on (verbosity=1 says it), not how long it took: the limit is an hour where it must not be what ends the wait.
. "$(dirname "$0")/lib.sh"
build exit_wait exit_wait.c -O1

ended="^photofinish: exit: the other threads have ended$"
quiet="^photofinish: exit: the other threads do not run$"
limit="^photofinish: exit: the other threads still run \(atexit_sleep_ms\)$"
hour=atexit_sleep_ms=3600000:verbosity=1

left() { # STATUS LINE ARG...: how the program must exit, and the line that says why
    local expected=$1 line=$2
    shift 2
    PHOTOFINISH_OPTIONS=$hour start ./exit_wait "$@"
    exits "$expected"
    says "$line"
}

# a thread that is about to race when the main thread exits races, and then it is over
left 66 "$ended" runnable
races 1
left 66 "$ended" runnable detached
races 1
left 66 "$ended" sleeps
left 66 "$ended" polls # nothing: another way to sleep
left 66 "$ended" selects
left 0 "$ended" ends
start ./exit_wait runnable # the default
exits 66
run run ./exit_wait runnable
exits 66

# one that waits for what will not come, or sleeps for longer than the limit, delays nothing; one that naps again and again is
# waited for once
left 0 "$quiet" blocked
left 0 "$quiet" blocked detached
PHOTOFINISH_OPTIONS=atexit_sleep_ms=1000:verbosity=1 start ./exit_wait sleeps-long
exits 0
says "$quiet"
left 0 "$quiet" naps

# one that runs for ever is waited for as long as the option says; 0 is not at all
for variable in PHOTOFINISH_OPTIONS TSAN_OPTIONS; do
    start env $variable=atexit_sleep_ms=20:verbosity=1 ./exit_wait runs
    exits 0
    says "$limit"
    start env $variable=atexit_sleep_ms=0:verbosity=1 ./exit_wait runs
    exits 0
    says_not "photofinish: exit:"
done

# _exit as well
left 66 "$ended" runnable _exit
races 1
left 0 "$quiet" blocked _exit

# nobody is left: no wait. A child of fork has the one thread
for arguments in joined "joined _exit" "blocked fork" "runs fork"; do
    # shellcheck disable=SC2086
    PHOTOFINISH_OPTIONS=$hour start ./exit_wait $arguments
    exits 0
    says_not "photofinish: exit:"
done
start env PHOTOFINISH_OPTIONS=atexit_sleep_ms=-1 ./exit_wait
exits 64

# thread_start_wait: when pthread_create returns, the new thread has been on a processor
cat >begun.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
enum { THREADS = 200 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread[THREADS];
    int idle = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < THREADS; i++) {
        clockid_t clock;
        struct timespec used;
        pthread_create(&thread[i], NULL, worker, NULL);
        pthread_getcpuclockid(thread[i], &clock);
        clock_gettime(clock, &used);
        idle += used.tv_sec == 0 && used.tv_nsec == 0;
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("not begun: %d\n", idle);
    return 0;
}
END
build begun ./begun.c -O1
PHOTOFINISH_OPTIONS=thread_start_wait=1 start ./begun
exits 0
prints "not begun: 0"
done_testing
