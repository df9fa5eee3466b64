# Nothing looks clean unless it was checked. photofinish run puts the runtime first in programs that load instrumented code
# later, or are linked in the wrong order. Where threads were not seen all the same, the exit status is 64.
. "$(dirname "$0")/lib.sh"
library_directory=$(dirname "$tool")/../lib/photofinish
plain() { # OUTPUT SOURCE FLAG...: without us
    local output=$1 source=$2
    shift 2
    command_line="gcc $source $*" status=0
    gcc -pthread -g "$source" -o "$output" "$@" >.out 2>.err || fail "does not build"
}

not_clean() { # exit status 64, and one line of ours
    exits 64
    checks=$((checks + 1))
    [ "$(grep -c '^photofinish: ' .err)" -eq 1 ] || fail "expected one line"
}

cat >plugin.c <<'END'
#include <pthread.h>
static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void bump(int locked);
void bump(int locked)
{
    if (locked)
        pthread_mutex_lock(&mutex);
    count++;
    if (locked)
        pthread_mutex_unlock(&mutex);
}
END
build plugin.so ./plugin.c -O1 -shared -fPIC

# --- a host that is not instrumented; its threads take turns by means that the detector cannot see ---

cat >host.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void (*bump)(int);
static int turn, locked;
static void await(int wanted)
{
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != wanted)
        sched_yield();
}
static void *other(void *unused)
{
    await(1);
    bump(locked);
    __atomic_store_n(&turn, 2, __ATOMIC_RELEASE);
    return unused;
}
static int result_of(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
static void end(const char *way, const char *text)
{
    char *shell[] = {"sh", "-c", "exit $0", (char *)text, NULL};
    int status = atoi(text);
    pid_t child;
    if (strcmp(way, "quick_exit") == 0)
        quick_exit(status);
    if (strcmp(way, "_exit") == 0)
        _exit(status);
    if (strcmp(way, "_Exit") == 0)
        _Exit(status);
    if (strcmp(way, "exit_group") == 0)
        syscall(SYS_exit_group, status);
    if (strcmp(way, "execv") == 0)
        execv("/bin/sh", shell);
    if (strcmp(way, "execvp") == 0)
        execvp("sh", shell);
    if (strcmp(way, "execl") == 0)
        execl("/bin/sh", "sh", "-c", "exit $0", text, NULL);
    if (strcmp(way, "execve-by-number") == 0)
        syscall(SYS_execve, "/bin/sh", shell, environ);
    if (strcmp(way, "children") == 0) { /* these answer for themselves */
        if ((child = fork()) == 0)
            _exit(0);
        printf("%d", result_of(child));
        fflush(stdout);
        if ((child = fork()) == 0)
            execv("/bin/sh", shell);
        printf(" %d", result_of(child));
        fflush(stdout);
        if ((child = vfork()) == 0)
            execv("/bin/sh", shell);
        printf(" %d %d %d\n", result_of(child), execv("/no/such/program", shell), system("exit 0") >> 8);
    }
}
/* host threads|alone locked|racy STATUS [END]: the plug-in is loaded when the thread is there already */
int main(int argc, char **argv)
{
    pthread_t thread;
    int threads = argc > 3 && strcmp(argv[1], "threads") == 0;
    locked = strcmp(argv[2], "locked") == 0;
    if (threads && pthread_create(&thread, NULL, other, NULL) != 0)
        return 70;
    bump = (void (*)(int))dlsym(dlopen("./plugin.so", RTLD_NOW), "bump");
    __atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
    if (threads)
        await(2);
    bump(locked);
    if (threads)
        pthread_join(thread, NULL);
    if (argc > 4)
        end(argv[4], argv[3]);
    return atoi(argv[3]);
}
END
plain host host.c -ldl
cat >drop.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    unsetenv("LD_PRELOAD");
    execv(argv[argc > 1], argv + 1);
    return 70;
}
END
plain drop drop.c -static # no library of ours is in it, to put it back
plain protected-host host.c -ldl -Wl,-z,now,-z,relro # whose references to functions are read-only
for options in "" --detector=djit; do
    run run $options ./host threads locked 0
    exits 0
    run run $options ./host threads locked 3
    exits 3
    run run $options ./host threads racy 0
    exits 66
    races 1
done
for how in locked racy; do
    start ./host threads $how 0
    not_clean
    says "start the program with photofinish run"
    start ./host threads $how 3 # no clean end: it stays as it is
    exits 3
    start ./host alone $how 0 # one thread cannot race
    exits 0
    for program in ./host ./protected-host; do
        for end in quick_exit _exit _Exit exit_group; do
            start $program threads $how 0 $end
            not_clean
            start $program alone $how 0 $end
            exits 0
        done
        start $program threads $how 3 _exit
        exits 3
        for end in execv execvp execl execve-by-number; do
            start $program threads $how 0 $end
            exits 64
            says "^photofinish: exit status 64 instead of exec: the new program's would hide that not all was checked"
            start $program alone $how 3 $end
            exits 3
            PHOTOFINISH_OPTIONS=exitcode=0 start $program threads $how 3 $end
            exits 3
            run run $program threads locked 3 $end # there it is seen
            exits 3
            run run ./drop $program threads locked 3 $end # or known
            exits 3
            run run ./drop $program threads locked 0 $end
            not_clean
        done
    done
    start ./host threads $how 0 children
    not_clean
    prints "0 0 0 -1 0"
done
PHOTOFINISH_OPTIONS=exitcode=0 start ./host threads racy 0
exits 0

# a library that finds our functions before libc's: its threads are seen, and not checked
cat >own_threads.c <<'END'
#include <pthread.h>
static int count;
static void *other(void *unused)
{
    count++;
    return unused;
}
void bump(int threads);
void bump(int threads)
{
    pthread_t thread;
    if (threads)
        pthread_create(&thread, NULL, other, NULL);
    count++;
    if (threads)
        pthread_join(thread, NULL);
}
END
cat >deep.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen("./own_threads.so", RTLD_NOW | RTLD_DEEPBIND);
    ((void (*)(int))dlsym(library, "bump"))(argc > 1);
    return 0;
}
END
build own_threads.so ./own_threads.c -O1 -shared -fPIC
plain deep deep.c -ldl
start ./deep threads
not_clean
start ./deep
exits 0
run run ./deep threads
exits 66
races 1

# the child of a fork has one thread, which is seen
cat >forks.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void (*bump)(int);
static void *other(void *unused)
{
    bump(0);
    pid_t child = fork();
    if (child == 0) {
        bump(0);
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    fflush(stdout);
    return unused;
}
int main(void)
{
    pthread_t thread;
    bump = (void (*)(int))dlsym(dlopen("./plugin.so", RTLD_NOW), "bump");
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    return 0;
}
END
plain forks forks.c -ldl
start ./forks
not_clean
prints "child 0"
run run ./forks
exits 0
prints "child 0"

# a child's status may get lost on the way, what it says does not
start env -u LD_PRELOAD ./host threads racy 0
not_clean
run run sh -c './drop ./host threads racy 0; true'
not_clean
run run sh -c './host threads locked 0; true'
exits 0
run run sh -c './host threads racy 0; true'
exits 66

# a recording begins with instrumented code: a thread that was there before it was not seen
run record -o recording.pft ./host alone locked 0
exits 0
run record -o recording.pft ./host threads locked 0
exits 64

# --- behind the C library ---

cat >program.c <<'END'
#include <pthread.h>
static int count, locked;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *bump(void *unused)
{
    if (locked)
        pthread_mutex_lock(&mutex);
    count++;
    if (locked)
        pthread_mutex_unlock(&mutex);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    locked = argc > 1;
    pthread_create(&thread, NULL, bump, argv);
    bump(argv);
    pthread_join(thread, NULL);
    return 0;
}
END
build program.o ./program.c -O1 -c
plain behind program.o -Wl,--no-as-needed -lc -L"$library_directory" -lphotofinish -Wl,-rpath,"$library_directory"
checks=$((checks + 1))
readelf -d behind | grep NEEDED | head -1 | grep -q libc.so || fail "the C library is not first"
start ./behind locked
not_clean
start ./behind
not_clean
run run ./behind locked
exits 0
run run ./behind
exits 66
races 1

# --- a thread that the C library was asked for behind our back, in a program that is linked as it should be ---

cat >unseen.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
static int count;
static void *other(void *unused)
{
    count++;
    return unused;
}
int main(void)
{
    pthread_t thread;
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    __typeof__(&pthread_create) create = (__typeof__(create))dlsym(libc, "pthread_create");
    __typeof__(&pthread_join) join = (__typeof__(join))dlsym(libc, "pthread_join");
    if (create(&thread, NULL, other, NULL) != 0)
        return 70;
    join(thread, NULL);
    return 0;
}
END
build unseen ./unseen.c -O1 -ldl
start ./unseen
not_clean
says "^photofinish: the creation of a thread that ran instrumented code was not seen .*: races with it may be missing$"
run run --json=unseen.json --verbose ./unseen
not_clean
json unseen.json completeness/unseen_threads 1
says "^  threads whose creation was not seen .*: in 1 process$"
run report --verbose unseen.json
prints "  threads whose creation was not seen (races with them may be missing): in 1 process"
run run sh -c './unseen; exit 0'
not_clean
run run --exit-code=0 ./unseen
not_clean

# --- programs without instrumented code are as ever, and never clean ---

cat >plain.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int count;
static volatile sig_atomic_t handled;
static void handle(int number)
{
    handled += number == SIGUSR1;
}
static void *other(void *unused)
{
    count++;
    free(strdup("text"));
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    if (pthread_create(&thread, NULL, other, NULL) != 0)
        return 70;
    count++;
    raise(SIGUSR1);
    pthread_join(thread, NULL);
    sigaction(SIGUSR1, NULL, &action);
    printf("%d %d\n", (int)handled, action.sa_handler == handle);
    fflush(stdout);
    if (argc > 2)
        execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
    return atoi(argv[1]);
}
END
plain plain plain.c
plain static plain.c -static
for program in ./plain ./static; do
    run run $program 5
    exits 64
    prints "1 1"
    complains "photofinish: run: $program: no instrumented code was run, so nothing was checked (build it with pfcc or pfc++)"
    run run sh -c "$program 5; echo \$?"
    exits 64
    prints "5"
    run run sh -c "$program 5 exec; echo \$?"
    prints "9"
done
# Linked by pfcc, but made by a plain compiler: nothing in it is checked.
gcc -c -O1 program.c -o stale.o
for way in "" --pf-static; do
    "$pfcc" $way stale.o -o stale -pthread
    run run ./stale
    exits 64
    complains "photofinish: run: ./stale: no instrumented code was run, so nothing was checked (build it with pfcc or pfc++)"
done
run run sh -c 'ulimit -v 1000000; ./plain 5; echo $?' # no room for a shadow, and none is needed
prints "5"
complains "photofinish: run: sh: no instrumented code was run, so nothing was checked (build it with pfcc or pfc++)"
build checked ./program.c -O1
run run sh -c 'ulimit -v 1000000; ./checked locked'
exits 70
run run sh -c './plain 5 >plain.out; ./checked locked'
exits 0
run run sh -c './plain 5 >plain.out; ./checked; true'
exits 66
build static_runtime ./program.c -O1 --pf-static # one runtime is enough
run run ./static_runtime locked
exits 0
run run ./static_runtime
exits 66
races 1
if gcc -fsanitize=address plain.c -o asan -pthread 2>/dev/null && ./asan 5 >/dev/null 2>&1 || [ $? -eq 5 ]; then
    run run sh -c './asan 5; echo $?' # it insists on being the first library
    prints "5"
fi

# --- where the library cannot go first, or not by its path ---

cat >environment.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    printf("preloaded %s\n", getenv("LD_PRELOAD"));
    return 0;
}
END
plain environment environment.c
LD_PRELOAD=libm.so.6 run run ./environment
prints "/lib/photofinish/libphotofinish.so.0:libm.so.6"
linker=$(readelf -l environment | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
ln -s "$linker" another-linker.so
plain other-linker environment.c -Wl,--dynamic-linker="$PWD/another-linker.so"
run run ./other-linker
exits 64
prints "preloaded (null)"
mkdir -p "a place/bin" "a place/lib/photofinish"
cp "$tool" "a place/bin"
cp "$library_directory/libphotofinish.so.0" "a place/lib/photofinish"
command_line="a place/bin/photofinish run ./host"
"a place/bin/photofinish" run ./host threads racy 0 >.out 2>.err
status=$?
exits 66
races 1

# --- Python ---

if ! command -v python3 >/dev/null; then
    echo "NOT TESTED: Python (there is no python3)"
    done_testing
    exit
fi
cat >extension.c <<'END'
#include <pthread.h>
static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *bump(void *locked)
{
    if (locked != NULL)
        pthread_mutex_lock(&mutex);
    count++;
    if (locked != NULL)
        pthread_mutex_unlock(&mutex);
    return NULL;
}
int work(int locked);
int work(int locked)
{
    pthread_t thread;
    void *argument = locked ? &thread : NULL;
    pthread_create(&thread, NULL, bump, argument);
    bump(argument);
    pthread_join(thread, NULL);
    return count;
}
END
build extension.so ./extension.c -O1 -shared -fPIC
cat >script.py <<'END'
#!/usr/bin/env python3
import ctypes, sys, threading
before = threading.Thread(target=print, args=("thread",))
before.start()
before.join()
print("count", ctypes.CDLL("./extension.so").work(int(sys.argv[1])))
END
chmod +x script.py
for way in "python3 script.py" ./script.py; do
    # shellcheck disable=SC2086
    run run $way 1
    exits 0
    prints "count 2"
    # shellcheck disable=SC2086
    run run $way 0
    exits 66
    races 1
    start $way 1
    not_clean
    prints "count 2"
done
run run python3 -c 'import threading; threading.Thread(target=print, args=("thread",)).start()'
exits 64
prints "thread"
done_testing
