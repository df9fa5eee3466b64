# A program with rights that its caller lacks heeds nothing that the caller chose, opens nothing and starts nothing.
. "$(dirname "$0")/lib.sh"
if [ "$(id -u)" -ne 0 ]; then
    echo "NOT TESTED: set-user-ID programs (it takes root)"
    exit 0
fi
mount_options=$(findmnt -no OPTIONS -T .)
if [[ ,$mount_options, == *,nosuid,* ]]; then
    echo "NOT TESTED: $PWD is on a file system without set-user-ID"
    exit 0
fi
umask 022
chmod 755 .

# the caller's: a directory of its own, with a program in it that is called as ours
caller=(setpriv --reuid nobody --regid nogroup --clear-groups)
mkdir hostile private
chown nobody hostile
printf '#!/bin/sh\nid -u >>%s/hostile/was-run\n' "$PWD" >hostile/photofinish
chmod 755 hostile/photofinish
echo "secret: of root" >private/secret
chmod 600 private/secret
: >victim
ln -s "$PWD/victim" hostile/linked
notice="photofinish: this program has rights that its caller lacks (set-user-ID, set-group-ID or capabilities): options are ignored, and details of races are off"

cat >privileged.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "unseen.h"
int shared;
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return OWN_OPTIONS; }
static void *other(void *unused)
{
    shared++;
    unseen_signal(1);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) { /* what it starts has its rights as its own */
        setgid(0);
        if (setuid(geteuid()) == 0)
            execv(argv[1], argv + 1);
        return 99;
    }
    pthread_create(&t, 0, other, 0);
    unseen_wait(1);
    shared++;
    pthread_join(t, 0);
    return 0;
}
C

untouched() {
    checks=$((checks + 1))
    [ ! -e hostile/was-run ] || fail "the caller's program was run"
    [ ! -s victim ] || fail "a file was written to through a symbolic link"
    [ "$(ls hostile)" = "$(printf 'linked\nphotofinish')" ] || fail "a file was created: $(ls hostile)"
    says_not secret
}
reported() { # what is left of a report: no address, no name
    exits 66
    races 1
    checks=$((checks + 1))
    [ "$(grep -c "^photofinish: " .err)" -eq 1 ] && grep -qxF "$notice" .err || fail "expected just the one line of ours"
    says "^  (Read|Write) of size 4 by (main thread|thread T1)$"
    says "^SUMMARY: Photofinish: data race \(details are off\)$"
    says_not 0x
    untouched
}
as_caller() { # COMMAND...
    start env -u LD_PRELOAD PATH="$PWD/hostile:$PATH" "${caller[@]}" "$@"
}
grants() { # PROGRAM HOW: the rights that its caller lacks
    chmod 755 "$1"
    case $2 in
    set-user-ID) chmod u+s "$1" ;;
    set-group-ID) chmod g+s "$1" ;;
    capabilities) setcap cap_dac_override,cap_setuid+ep "$1" || fail "no capabilities" ;;
    esac
}

for compiler in gcc clang-19; do
    for flags in "" --pf-static; do
        PF_CC=$compiler build privileged ./privileged.c -O1 -I"$live/../programs" $flags -DOWN_OPTIONS='""'
        # the caller's own rights: all is as ever
        as_caller env PHOTOFINISH_OPTIONS=source_lines=0 ./privileged
        exits 66
        says "#0 (main|other) .*privileged.c:[0-9]+ "
        for how in set-user-ID set-group-ID capabilities; do
            grants privileged $how
            as_caller ./privileged
            reported
            for options in log_path="$PWD/hostile/log" log_path="$PWD/hostile/linked" suppressions="$PWD/private/secret" \
                include="$PWD/private/secret" include_if_exists="$PWD/private/secret" report_bugs=0 exitcode=0 help=1 \
                verbosity=2 detector=none nonsense; do
                as_caller env PHOTOFINISH_OPTIONS="$options" TSAN_OPTIONS="$options" ./privileged
                reported
            done
            as_caller env PHOTOFINISH_CHANNEL=of-the-caller ./privileged
            reported
            # photofinish run does not take it for a run without races
            start env PATH="$PWD/hostile:$PATH" "${caller[@]}" "$tool" run --suppressions=/dev/null ./privileged
            exits 64
            races 1
            says "this program has rights that its caller may lack"
            untouched
            # the dynamic linker opens libraries; we open, connect and start nothing
            start strace -f -u nobody -o trace -E PHOTOFINISH_OPTIONS=log_path="$PWD/hostile/log" ./privileged
            reported
            checks=$((checks + 1))
            ! grep -E "(open|openat|creat)\(" trace | grep -vE "/ld\.so\.cache\"|\.so(\.[0-9]+)*\"" | grep -q . || fail "opened: $(grep open trace)"
            ! grep -qE "O_CREAT|socket\(|connect\(|vfork\(|memfd_create\(" trace || fail "more than it may: $(grep -E 'O_CREAT|socket|connect|vfork' trace)"
            [ "$(grep -c "execve" trace)" -eq 1 ] || fail "started another program: $(grep execve trace)"
            untouched
            setcap -r privileged 2>/dev/null
        done
        # what it starts does not find our variables in its environment; others stay
        grants privileged set-user-ID
        as_caller env PHOTOFINISH_OPTIONS=a=1 TSAN_OPTIONS=b=2 PHOTOFINISH_CHANNEL=c OTHER=kept ./privileged "$(command -v env)"
        exits 0
        prints OTHER=kept
        prints_not PHOTOFINISH_
        prints_not TSAN_OPTIONS
        # the program's own options hold, but for files
        PF_CC=$compiler build privileged ./privileged.c -O1 -I"$live/../programs" $flags \
            -DOWN_OPTIONS="\"exitcode=3:log_path=$PWD/hostile/log:suppressions=$PWD/private/secret:include=$PWD/private/secret\""
        grants privileged set-user-ID
        as_caller ./privileged
        exits 3
        races 1
        untouched
    done
done
done_testing
