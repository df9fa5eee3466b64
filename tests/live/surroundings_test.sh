# A program under the runtime finds its surroundings as they are without it; and the runtime finds its way where the
# kernel refuses much, or somebody else is there already.
. "$(dirname "$0")/lib.sh"
build ends ends.c -O1
command_line="gcc sandbox.c" status=0
gcc "$live/sandbox.c" -o sandbox 2>.err || fail "does not build"
gcc -w "$live/undisturbed.c" -pthread -o plain -lm -latomic 2>.err || fail "does not build"

# errno, masks, floating point, alignment
./plain >expected
for compiler in gcc clang-19; do
    for flags in -O0 "-O2 --pf-static"; do
        PF_CC=$compiler build undisturbed undisturbed.c -w $flags -lm -latomic
        start ./undisturbed
        exits 0
        same_file .out expected
        complains_not
        start ./sandbox no-promises ./undisturbed
        exits 0
        sed -i 's/mask fffffffe7ffbfaff/mask fffffffe7ffbfeff/' .out # there SIGSEGV is never blocked
        same_file .out expected
        complains_not
    done
done
run run ./undisturbed
exits 0
same_file .out expected

# refused by the kernel
for what in no-personality no-promises; do
    start ./sandbox $what ./ends
    exits 66
    races 1
    start ./sandbox $what ./ends segv # its own fault is still one
    exits 139
    races 1
done

# no room at all: one line
start bash -c 'ulimit -v 4000000; exec ./ends'
exits 70
complains "photofinish: cannot reserve address space for the shadow (is it limited by ulimit -v or -d?)"
prints_nothing
start bash -c "ulimit -v 4000000; exec $tool record -o no.pft ./ends"
exits 70
complains "photofinish: cannot reserve address space for the shadow (is it limited by ulimit -v or -d?)"
prints_nothing
start bash -c "ulimit -v 4000000; exec $tool run ./ends"
exits 70
complains "photofinish: cannot reserve address space for the shadow (is it limited by ulimit -v or -d?)
Photofinish: nothing was checked (a process was refused, and said why)"
prints_nothing
[ ! -e no.pft ] || fail "a recording of nothing"

# little memory that may be written: room is only reserved
start bash -c 'ulimit -d 1000000; exec ./ends'
exits 66
races 1

# tables of which little is used do not get huge pages, whatever the system does by default
build own_maps own_maps.c
start ./own_maps
exits 0
sparse() { # how many mappings of a gigabyte and more that may be written have (nh) or lack (-v nh) the flag
    awk '$1 ~ /^[0-9a-f]+-/ { written = $2 ~ /w/ } /^Size:/ { large = $2 >= 1048576 } /^VmFlags:/ && written && large' .out |
        grep -cw $*
}
checks=$((checks + 2))
[ "$(sparse nh)" -ge 1 ] || fail "expected large tables without huge pages"
[ "$(sparse -v nh)" -eq 0 ] || fail "a large table may get huge pages"

# a debugger; Valgrind
if command -v gdb >/dev/null; then
    start gdb -q -batch -ex run ./ends
    races 1
    grep -q "exited with code 0102" .out || fail "the program did not end as ever"
fi
if command -v valgrind >/dev/null; then
    start valgrind -q ./ends
    exits 70
    complains "photofinish: this program checks itself for races and does not run on Valgrind"
fi
done_testing
