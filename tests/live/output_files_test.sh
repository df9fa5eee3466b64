# Which files are written: not through what another user has put into a shared directory, no directory that nobody asked
# for, a file in place where its directory is not ours; and a write that fails is told, once, and is exit status 70.
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS
build ends ends.c -O1
run run --json=run.json ./ends
exits 66
printf 'T1|fork(T2)|1\nT2|w(x)|2\nT1|w(x)|3\n' >trace.std
run analyze trace.std
exits 1

# Every way to write FILE, as commands of the shell. What they exit with: success, or what cannot be opened, or written.
declare -A writes=(
    [json]='run --json=FILE ./ends|66 64 70' [html]='run --html=FILE ./ends|66 64 70'
    [sarif]='run --sarif=FILE ./ends|66 64 70' [log]='run --log=FILE ./ends|66 64 70'
    [generated]='run --gen-suppressions=FILE ./ends|66 64 70'
    [baseline]='run --update-baseline --baseline=FILE ./ends|0 64 70'
    [record]='record --quiet -o FILE ./ends|0 64 70' [report]='report --html=FILE run.json|0 2 70'
    [merge]='merge run.json -o FILE|0 2 70' [convert]='convert trace.std FILE --to=std|0 2 70'
    [generate]='generate --events=100 --to=std -o FILE|0 2 70'
)
each() { # WHICH-STATUS FILE: every command writes to it, or not
    local name line expected
    for name in "${!writes[@]}"; do
        line=${writes[$name]%|*} expected=(${writes[$name]#*|})
        before "$2"
        run ${line//FILE/$2}
        exits "${expected[$1]}"
        after "$2"
    done
}
good=0 cannot_open=1 cannot_write=2
before() { :; }

# a device that is full
after() {
    [[ $command_line == *record* ]] || says "^photofinish: .*cannot write.*: No space left on device$"
    checks=$((checks + 1))
    [ "$(grep -c 'No space left' .err)" -eq 1 ] || fail "not one line"
}
unset "writes[baseline]" # it is read, too: endless_inputs_test.sh
each $cannot_write /dev/full
writes[baseline]='run --update-baseline --baseline=FILE ./ends|0 64 70'

# no directory is made
after() {
    says "^photofinish: .*no/such/place.*: cannot open for writing: No such file or directory$"
    [ ! -e no ] || fail "a directory was made"
}
each $cannot_open no/such/place
PHOTOFINISH_OPTIONS=log_path=no/such/place start ./ends
exits 70
after
races 1 # where they can be seen
PHOTOFINISH_OPTIONS=log_path=no/such/place run run ./ends
exits 70
after
races 1

# log_path: on a full device, under run and without, with halt_on_error, and where there is nothing to write
for command in "./ends" "$tool run ./ends"; do
    for more in "" :halt_on_error=1 :exitcode=0; do
        PHOTOFINISH_OPTIONS="log_path=$PWD/full$more" start sh -c 'rm -f full.*; ln -s /dev/full "full.$$"; exec '"$command"
        [ "$command" = ./ends ] && exits 70
        [ "$command" = ./ends ] && says "^photofinish: log_path: $PWD/full\.[0-9]+: cannot write: No space left on device$"
    done
done
PHOTOFINISH_OPTIONS=log_path=/dev/full/log:report_bugs=0:exitcode=0 start ./ends
exits 0

# without a race, the reports would have been lost all the same; unless the program has made the folder meanwhile
cat >quiet.c <<'END'
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char way = argc > 1 ? argv[1][0] : ' ';
    if (way == 'm')
        return mkdir("made", 0700);
    if (way == '_')
        _exit(3);
    if (way == 'q')
        quick_exit(3);
    return 3;
}
END
build quiet ./quiet.c
for ending in return _exit quick_exit; do
    for command in ./quiet "$tool run ./quiet"; do
        # shellcheck disable=SC2086
        PHOTOFINISH_OPTIONS=log_path=no/such/place start $command $ending
        exits 70
        says "^photofinish: warning: log_path: no/such/ cannot be written to$"
    done
done
PHOTOFINISH_OPTIONS=log_path=made/log start ./quiet make
exits 0

# standard error: on a full device, and closed by the user
for command in "./ends" "$tool run ./ends"; do
    start sh -c "exec $command 2>/dev/full"
    exits 70
    start sh -c "exec $command 2>&-"
    exits 66
done
start sh -c "exec ./ends clean 2>/dev/full" # says nothing
exits 7
start sh -c "exec $tool run ./ends clean 2>/dev/full" # says how many races there were
exits 70
PHOTOFINISH_OPTIONS=log_path=stdout start sh -c "exec ./ends >/dev/full"
exits 70
start sh -c "exec ./ends no-descriptors 2>/dev/full" # nobody writes it but the program itself
exits 70
for ending in _exit quick_exit; do
    PHOTOFINISH_OPTIONS=log_path=/dev/null/log start ./ends $ending
    exits 70
done

PHOTOFINISH_OPTIONS=log_path=$PWD/unhelped start ./ends no-descriptors # there is no way to have it written
exits 70
says "^photofinish: log_path: $PWD/unhelped: not written: there is no helper$"
says "^WARNING: Photofinish: data race"

# a file that may not become as large: standard error goes through a pipe, which has no such limit
for command in "$tool run --log=large ./ends" "$tool run --json=large ./ends" "$tool report --json=large run.json" \
    "env PHOTOFINISH_OPTIONS=log_path=large $tool run ./ends" "env PHOTOFINISH_OPTIONS=log_path=large ./ends"; do
    start bash -c "(ulimit -f 1; exec $command 2>&1 >/dev/null) | cat >&2; exit \${PIPESTATUS[0]}"
    exits 70
    says "^photofinish: .*large.*: cannot write: File too large$"
done

# our own descriptors by name, also where they are a file that others write to
run run --json=/dev/stdout ./ends
exits 66
sed "s/^buffered //" .out >out.json
json out.json races 1
start sh -c "echo before >mixed; $tool report --json=/dev/stdout run.json >>mixed; echo after >>mixed"
[ "$(head -1 mixed)" = before ] && [ "$(tail -1 mixed)" = after ] || fail "/dev/stdout was emptied"
run run --log=/dev/fd/1 ./ends
exits 66
races 1 .out
start sh -c "$tool report --json=/dev/fd/7 run.json 7>seven"
json seven races 1

# one that is for reading only, or closed
for descriptor in "1>&-" "1</dev/null"; do
    for command in "run --json=/dev/stdout ./ends" "run --gen-suppressions=/dev/stdout ./ends"; do
        start sh -c "exec $tool $command $descriptor"
        exits 64
        says "^photofinish: run: /dev/stdout: cannot open for writing"
    done
done

# the user's own links, also to what is not there yet
mkdir deep
ln -s deep/new link
after() {
    [ -L link ] && [ -s deep/new ] || fail "the link was not followed"
    rm deep/new
}
each $good link

# where nothing was recorded there is no file; the link to it is the user's
for program in /bin/true ./no-such-program; do
    start "$tool" record -o link $program
    exits 64
    [ -L link ] && [ ! -e deep/new ] || fail "the link is gone, or the file is there"
done

if [ "$(id -u)" -ne 0 ]; then
    echo "what needs two users is left out: this is not root"
    done_testing
    exit
fi
nobody=65534
as_nobody() { setpriv --reuid=$nobody --regid=$nobody --clear-groups "$@"; }
chmod 755 "$scratch"

# a file that may be written, in a directory that may not
mkdir closed
for name in "${!writes[@]}"; do
    command=${writes[$name]%|*} expected=(${writes[$name]#*|})
    [ $name = baseline ] && cp run.json closed/file || echo old >closed/file
    chmod 666 closed/file
    start as_nobody "$tool" ${command//FILE/closed/file}
    exits "${expected[0]}"
    [ "$(head -1 closed/file)" != old ] && [ -s closed/file ] || fail "not written"
    [ "$(ls closed)" = file ] || fail "something was left behind"
done

# a file that another user can run with our rights is not made of one of theirs
mkdir theirs
for mode in 4777 2777 6755; do
    echo old >theirs/file
    chown $nobody:$nobody theirs theirs/file
    chmod $mode theirs/file
    run report --json=theirs/file run.json
    exits 0
    json theirs/file races 1
    [ "$(stat -c %a theirs/file)" = ${mode#?} ] || fail "mode $mode has become $(stat -c %a theirs/file)"
done

# what another user has put into a shared directory: a link, a file, a pipe, a hard link, a directory with a link
echo precious >target
chmod 666 target
mkdir -m 1777 shared
mkdir -m 777 open
put() { # WHAT: as FILE
    rm -rf shared/* open/*
    case $1 in
    "a link") ln -s "$PWD/target" shared/file && chown -h $nobody shared/file ;;
    "a file") echo precious >shared/file && chown $nobody shared/file ;;
    "a pipe") mkfifo shared/file && chown $nobody shared/file ;;
    "a hard link") ln target shared/file ;;
    "a directory")
        mkdir shared/dir && ln -s "$PWD/target" shared/dir/file
        chown -h $nobody shared/dir shared/dir/file
        ;;
    "a link on the way")
        mkdir -p deep && ln -s "$PWD/deep" shared/dir
        chown -h $nobody shared/dir
        ;;
    esac
}
after() {
    says "^photofinish: .*not written: .*in a directory that others can write to$"
    [ "$(cat target)" = precious ] && [ ! -e deep/file ] || fail "written all the same"
    [ ! -f shared/file ] || [ "$(cat shared/file)" = precious ] || fail "written all the same"
}
for what in "a link" "a file" "a pipe" "a hard link" "a directory"; do
    before() { put "$what"; }
    [ "$what" = "a directory" ] && file=shared/dir/file || file=shared/file
    each $cannot_open $file
done
before() { put "a link on the way"; }
each $cannot_open shared/dir/file

# their directory is theirs, by whatever way one has come to it
before() { :; }
put "a directory"
for file in file ./file ../dir/file /proc/self/cwd/file; do
    start env -C shared/dir "$tool" report --json="$file" "$PWD/run.json"
    exits 2
    after
done
mkdir shared/dir/ours
ln -s "$PWD/target" shared/dir/ours/file
start env -C shared/dir/ours "$tool" report --json=file "$PWD/run.json"
exits 0
json target races 1
echo precious >target
before() {
    rm -f open/file
    ln -s "$PWD/target" open/file && chown -h $nobody open/file
}
each $cannot_open open/file
before() { :; }
put "nothing"
for i in 1 2; do # log_path
    PHOTOFINISH_OPTIONS=log_path=$PWD/shared/log \
        start sh -c "ln -s $PWD/target shared/log.\$\$; chown -h $nobody shared/log.\$\$; exec ./ends"
    exits 70
    races 1
    says "^photofinish: log_path: .*/shared/log\.[0-9]+: not written: there is a symbolic link of another user"
    [ "$(cat target)" = precious ] || fail "written all the same"
done

# what is there changes just after it was examined: a link of ours becomes theirs; what had two names has one again
cat >between.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
ssize_t readlinkat(int directory, const char *name, char *text, size_t room)
{
    rename("open/theirs", "open/file");
    return ((ssize_t (*)(int, const char *, char *, size_t))dlsym(RTLD_NEXT, "readlinkat"))(directory, name, text, room);
}
int openat(int directory, const char *name, int flags, ...)
{
    static int times;
    int (*real)(int, const char *, int, ...) = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
    if (strcmp(name, "raced") != 0 || times++ > 0)
        return real(directory, name, flags, 0666);
    link("target", "open/second");
    rename("open/second", "open/raced");
    int fd = real(directory, name, flags, 0666);
    unlink("open/raced");
    return fd;
}
C
gcc -shared -fPIC between.c -o between.so || fail "does not build"
rm -f open/*
ln -s "$PWD/ours" open/file
ln -s "$PWD/target" open/theirs && chown -h $nobody open/theirs
LD_PRELOAD=$PWD/between.so start "$tool" report --json=open/file run.json
[ ! -L open/theirs ] || fail "nothing has come in between"
[ "$(cat target)" = precious ] || fail "written all the same"
for existing in false true; do
    rm -f open/*
    ! $existing || echo old >open/raced
    LD_PRELOAD=$PWD/between.so start "$tool" run --gen-suppressions=open/raced ./ends
    exits 66
    [ "$(cat target)" = precious ] || fail "written all the same"
    [ -s open/raced ] || fail "not written at all"
done

# one's own link there works, and so does root's, and a file that is new
for user in root nobody; do
    rm -f shared/*
    as=as_nobody
    [ $user = root ] && as=
    $as ln -s "$PWD/target" shared/file
    start as_nobody "$tool" report --json=shared/file run.json
    exits 0
    json target races 1
    start as_nobody "$tool" report --json=shared/new run.json
    exits 0
    json shared/new races 1
done
done_testing
