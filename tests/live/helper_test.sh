# Which file is run as the helper: only that of the installation, and only if nobody else could have put it there.
. "$(dirname "$0")/lib.sh"
umask 022
installed=$(dirname "$pfcc")/..
mkdir -p top/inst
cp -a "$installed/bin" "$installed/lib" top/inst/
pfcc=$PWD/top/inst/bin/pfcc
mkdir -p x/a/b x/bin planted

plant() { # FILE: notes that it was run
    printf '#!/bin/sh\necho "run as $(id -u)" >>%s/was-run\n' "$PWD" >"$1"
    chmod 755 "$1"
}
not_run() { checks=$((checks + 1)) && [ ! -e was-run ] || fail "a planted program was run"; }
has_names() {
    exits 66
    races 1
    says "#0 race .*/ends.c:[0-9]+ \(ends\+0x"
    says_not "^photofinish: "
    not_run
}
has_none() { # REASON: what is known, and one line that says why there is no more
    exits 66
    races 1
    says "    #0 <null> <null> \(.*/ends\+0x[0-9a-f]+\)"
    checks=$((checks + 1))
    [ "$(grep "^photofinish: " .err)" = "photofinish: reports have no names: $1 (photofinish run PROGRAM shows them)" ] ||
        fail "expected as the only line of ours: $1"
    not_run
}

for flags in "-O1" "-O1 --pf-static"; do
    build x/a/b/ends ends.c $flags
    # what lies where a library's helper would be, and what is called so in PATH
    plant x/bin/photofinish
    plant planted/photofinish
    PATH=$PWD/planted:$PATH start x/a/b/ends
    has_names
    mv top/inst/bin/photofinish aside
    PATH=$PWD/planted:$PATH start x/a/b/ends
    has_none "$PWD/top/inst/bin/photofinish does not exist"
    ln -s "$PWD/aside" top/inst/bin/photofinish
    start x/a/b/ends
    has_none "$PWD/top/inst/bin/photofinish is a symbolic link"
    rm top/inst/bin/photofinish
    mkdir top/inst/bin/photofinish
    start x/a/b/ends
    has_none "$PWD/top/inst/bin/photofinish is not a program"
    rmdir top/inst/bin/photofinish
    echo nonsense >top/inst/bin/photofinish
    start x/a/b/ends
    has_none "$PWD/top/inst/bin/photofinish could not be started"
    mv aside top/inst/bin/photofinish

    # others may write to it, or to a directory above it
    for what in top/inst/bin/photofinish top/inst/bin top/inst top; do
        for who in g o; do
            chmod $who+w $what
            start x/a/b/ends
            has_none "$PWD/$what can be replaced by other users: they may write to it, or to its directory"
            chmod $who-w $what
        done
    done
    # files of others cannot be replaced in a directory with the sticky bit; but others can link to them there
    chmod o+w,+t top
    start x/a/b/ends
    has_names
    chmod o+w,+t top/inst/bin
    start x/a/b/ends
    has_none "$PWD/top/inst/bin/photofinish can be replaced by other users: they may write to it, or to its directory"
    chmod o-w,-t top top/inst/bin

    # somebody else's
    if [ "$(id -u)" -eq 0 ]; then
        for what in top/inst/bin/photofinish top/inst/bin top; do
            chown nobody $what
            start x/a/b/ends
            has_none "$PWD/$what belongs to another user"
            chown root $what
        done
        # root's is everybody's; one's own is one's own
        chmod 755 .
        for owner in root nobody; do
            chown -R $owner top
            start setpriv --reuid nobody --regid nogroup --clear-groups x/a/b/ends
            has_names
        done
        # a process that can take root's rights again would give them to the other user's program
        start x/a/b/ends acts-for "$(id -u nobody)"
        has_none "$PWD/top belongs to another user"
        chown -R root top
        start x/a/b/ends acts-for "$(id -u nobody)"
        has_names
    else
        echo "NOT TESTED: files of other users (it takes root)"
    fi
done

# the dynamic linker loads nothing from where the helper is: a program with the runtime in it may run where anybody can make
# that directory
build x/a/b/ends ends.c -O1 --pf-static
echo "no library" >top/inst/lib/photofinish/libc.so.6
start x/a/b/ends
has_names
rm top/inst/lib/photofinish/libc.so.6

# directories of the program's own in its run path lead nowhere; without ours there is no helper
mkdir -p y/lib/mine y/bin
plant y/bin/photofinish
for name in mine photofinish; do
    build x/a/b/ends ends.c -O1 --pf-static -Wl,-rpath,"$PWD/y/lib/$name"
    start x/a/b/ends
    has_names
done
mkdir -p elsewhere/lib
cp -a top/inst/lib/photofinish elsewhere/lib/ # the same library, with no program to it
build x/a/b/ends ends.c -O1
LD_LIBRARY_PATH=$PWD/elsewhere/lib/photofinish start x/a/b/ends
has_none "$PWD/elsewhere/bin does not exist"
done_testing
