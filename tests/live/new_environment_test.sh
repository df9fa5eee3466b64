# Programs that are started with another environment than the one that photofinish run has made: they are checked, and
# counted, all the same, and are told nothing else than what they were started with.
. "$(dirname "$0")/lib.sh"
plain() { # OUTPUT SOURCE FLAG...: without us
    local output=$1 source=$2
    shift 2
    command_line="gcc $source $*" status=0
    gcc -pthread -g "$source" -o "$output" "$@" >.out 2>.err || fail "does not build"
}
counted() { # a race in a process whose own status is lost
    exits 66
    races 1
    says "^Photofinish: reported 1 "
}

prints_just() {
    printf '%s\n' "$@" >expected
    same_file .out expected
}

build racy ends.c -O1
cat >ok.c <<'END_OF_C'
int main(void)
{
    return 0;
}
END_OF_C
build ok ./ok.c -O1
run run sh -c './ok; env -i ./racy; true'
counted
run run sh -c 'env -u LD_PRELOAD ./racy; true'
counted
run run sh -c 'env -i sh -c "./racy; true"'
counted
run run sh -c 'env -i ./ok'
exits 0
complains "Photofinish: reported 0 warnings"
run run --detector=djit sh -c 'env -i ./racy; true'
exits 66
races 1

# what the user has said goes with it, unless the program says something else
PHOTOFINISH_OPTIONS=report_bugs=0 run run sh -c './ok; env -i ./racy; true'
exits 64
PHOTOFINISH_OPTIONS=report_bugs=0 run run sh -c 'env -i PHOTOFINISH_OPTIONS=report_bugs=1 ./racy; true'
counted
PHOTOFINISH_OPTIONS=report_bugs=0 run run sh -c 'env -u PHOTOFINISH_OPTIONS ./racy; true'
counted

# a plain host, and a plug-in that was built for us
cat >plugin.c <<'END_OF_C'
static int count;
void bump(void);
void bump(void)
{
    count++;
}
END_OF_C
cat >host.c <<'END_OF_C'
#include <dlfcn.h>
#include <pthread.h>
static void (*bump)(void);
static void *other(void *unused)
{
    bump();
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    bump = (void (*)(void))dlsym(dlopen("./plugin.so", RTLD_NOW), "bump");
    pthread_create(&thread, NULL, other, argv);
    if (argc > 1)
        pthread_join(thread, NULL);
    bump();
    if (argc == 1)
        pthread_join(thread, NULL);
    return 0;
}
END_OF_C
build plugin.so ./plugin.c -O1 -shared -fPIC
plain host host.c -ldl
run run env -i ./host
counted
run run env -i ./host joins
exits 0
complains "Photofinish: reported 0 warnings"

# --- every way to start a program, from a process without instrumented code ---

cat >starts.c <<'END_OF_C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *arguments[] = {"racy", NULL}, *nothing[] = {NULL};

static int is_by(const char *way, const char *name)
{
    return strcmp(way, name) == 0;
}

static void become(const char *way)
{
    if (is_by(way, "execve"))
        execve("./racy", arguments, nothing);
    if (is_by(way, "no-environment"))
        execve("./racy", arguments, NULL);
    if (is_by(way, "execvpe"))
        execvpe("./racy", arguments, nothing);
    if (is_by(way, "execle"))
        execle("./racy", "racy", (char *)NULL, nothing);
    if (is_by(way, "fexecve"))
        fexecve(open("./racy", O_RDONLY | O_CLOEXEC), arguments, nothing);
    if (is_by(way, "execveat"))
        execveat(AT_FDCWD, "./racy", arguments, nothing, 0);
    if (is_by(way, "by-number"))
        syscall(SYS_execve, "./racy", arguments, nothing);
    environ = nothing;
    if (is_by(way, "execv"))
        execv("./racy", arguments);
    if (is_by(way, "execvp"))
        execvp("./racy", arguments);
    if (is_by(way, "execl"))
        execl("./racy", "racy", (char *)NULL);
    if (is_by(way, "execlp"))
        execlp("./racy", "racy", (char *)NULL);
}

static int refused(void)
{
    char *bad[] = {(char *)1, NULL}, *far[] = {"A=a", (char *)-4096l, NULL};
    int count = execve("./racy", arguments, (char **)8) == -1 && errno == EFAULT;
    count += execve("./racy", arguments, bad) == -1 && errno == EFAULT;
    count += execve("./racy", arguments, far) == -1 && errno == EFAULT;
    printf("refused %d\n", count);
    return 0;
}

int main(int argc, char **argv)
{
    const char *way = argv[argc - 1];
    pid_t child = 0;
    if (is_by(way, "refused"))
        return refused();
    if (is_by(way, "posix_spawn"))
        posix_spawn(&child, "./racy", NULL, NULL, arguments, nothing);
    else if (is_by(way, "posix_spawnp"))
        posix_spawnp(&child, "./racy", NULL, NULL, arguments, nothing);
    else if (is_by(way, "system"))
        return clearenv() + WEXITSTATUS(system("./racy; exit 3"));
    else if (is_by(way, "popen"))
        return clearenv() + WEXITSTATUS(pclose(popen("./racy; exit 3", "w")));
    else if (argc > 2)
        child = vfork();
    if (child == 0) {
        become(way);
        _exit(70);
    }
    waitpid(child, NULL, 0);
    return 3;
}
END_OF_C
plain starts starts.c
for way in execve no-environment execvpe execle fexecve execveat by-number execv execvp execl execlp; do
    run run sh -c "./starts $way; true"
    counted
    run run sh -c "./starts in-a-child $way; true"
    counted
done
for way in posix_spawn posix_spawnp system popen; do
    run run sh -c "./starts $way; [ \$? = 3 ] && echo ended"
    counted
    prints "ended"
done
run run sh -c './starts refused; ./ok'
exits 0
prints "refused 3"

# --- what such a program sees ---

cat >environment.c <<'END_OF_C'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    for (char **variable = environ; *variable != NULL; variable++)
        printf("%.*s%s\n", (int)strcspn(*variable, "="), *variable,
               strncmp(*variable, "LD_", 3) == 0 ? strrchr(*variable, '/') : "");
    return 0;
}
END_OF_C
plain environment environment.c -D_GNU_SOURCE
start env -i ./environment # nothing is added where there is no photofinish run
prints_nothing
run run env -i ./environment
prints_just PHOTOFINISH_CHANNEL LD_PRELOAD/libphotofinish.so.0 LD_LIBRARY_PATH/photofinish ASAN_OPTIONS
run run env -i LD_PRELOAD=libm.so.6 A=a LD_LIBRARY_PATH=. ./environment # its own comes after ours
prints_just LD_PRELOAD/libphotofinish.so.0:libm.so.6 A LD_LIBRARY_PATH/photofinish:. PHOTOFINISH_CHANNEL ASAN_OPTIONS
run run sh -c 'env -i PHOTOFINISH_CHANNEL=another LD_PRELOAD=$LD_PRELOAD LD_LIBRARY_PATH=$LD_LIBRARY_PATH ASAN_OPTIONS=$ASAN_OPTIONS ./environment'
prints_just PHOTOFINISH_CHANNEL LD_PRELOAD/libphotofinish.so.0 LD_LIBRARY_PATH/photofinish ASAN_OPTIONS
mkdir -p "a place/bin" "a place/lib/photofinish"
cp "$tool" "a place/bin"
cp "$(dirname "$tool")/../lib/photofinish/libphotofinish.so.0" "a place/lib/photofinish"
command_line="a place/bin/photofinish run env -i ./racy"
"a place/bin/photofinish" run sh -c 'env -i ./racy; true' >.out 2>.err
status=$?
counted
done_testing
