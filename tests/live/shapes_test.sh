# What usually fixes a race: said where it was observed, and not where it only looks like it.
. "$(dirname "$0")/lib.sh"

fixed() { # CASE SHAPE TEXT
    start ./shapes "$1"
    exits 66
    races 1
    says "^  What usually fixes this \($2\): $3"
    [ "$(grep -c 'What usually fixes' .err)" -eq 1 ] || fail "more than one"
}
not_fixed() { # CASE
    start ./shapes "$1"
    exits 66
    races 1
    says_not 'What usually fixes'
}

for built in "gcc -O0" "clang-19 -O1" "gcc -O2"; do
    PF_CC=${built% *} build shapes shapes.c ${built#* }
    fixed counter 'unlocked counter' 'line [0-9]+ reads and writes the variable, and neither thread held a lock there: '
    not_fixed no-counter
    not_fixed element
    fixed half-locked 'lock not taken' 'the earlier access was made under M1 \(m\), the later one, at line [0-9]+, under no lock: hold M1 there, too\.$'
    fixed half-locked-later 'lock not taken' 'the later access was made under M1 \(m\), the earlier one, at line [0-9]+, under no lock: hold M1 there, too\.$'
    fixed half-locked-for-reading 'lock not taken' 'the earlier access was made under M1 \(shared\), the later one, at line [0-9]+, under no lock: hold M1 for writing there, too\.$'
    not_fixed doubly-locked # which one should it be?
    not_fixed half-locked-atomic
    fixed checked 'double-checked locking' 'checks_twice reads it without a lock at line [0-9]+, and writes it at line [0-9]+ under the one that it takes at line [0-9]+: '
    fixed checked-inlined 'double-checked locking' 'checks_twice_inlined reads it without a lock at line '
    fixed no-checked 'lock not taken' 'the earlier access was made under M1 \(m\), the later one, at line '
    fixed unlocked 'used after unlock' 'the access at line [0-9]+ comes after M1, under which the other was made, was unlocked at line [0-9]+ of the same call: '
    fixed unlocked-inlined 'used after unlock' 'the access at line [0-9]+ comes after M1, '
    fixed another-call 'lock not taken' 'the earlier access was made under M1 \(m\), the later one, at line '
    fixed no-unlocked 'lock not taken' 'the earlier access was made under M1 \(m\), the later one, at line '
    fixed published 'publication without release' 'the atomic variable ready was written after the one access \(relaxed\) and read before the other \(acquire\): '
    not_fixed no-published
    fixed flag 'plain flag' "the loop at line [0-9]+ reads 'stop', a plain variable that line [0-9]+ sets: make it atomic"
    not_fixed no-flag
    fixed join 'missing join' 'thread T1 has ended, and the thread that created it has not joined it: join it before the access\.$'
    not_fixed detached
    says '^    Thread T1 was detached, and has ended\.$'
    not_fixed no-join
    fixed locked-join 'lock not taken' 'the earlier access was made under M1 \(m\), the later one, at line '
    fixed freed-join 'freed in use' 'thread T1 frees the memory, and nothing tells it that the main thread is done with it: ' # not to join T1
    says '^  Previous write of size 4 at 0x[0-9a-f]+ by thread T1:$' # as large as the block, not as its words
    not_fixed block-join # some way led there: it lacks the order
    fixed other-lock 'different locks' 'the one held M[12] \([a-z]+\) and the other M[12] \([a-z]+\), and a lock orders only those who hold it: hold the same one around both\.$'
    fixed reading 'locked for reading' 'both held M1 \(shared\) for reading, and both write: lock it for writing there\.$'
    fixed handler-first 'signal handler' 'the earlier access ran in a signal handler, where no lock may be taken: '
    fixed handler-second 'signal handler' 'the later access ran in a signal handler, '
    fixed handler-both 'signal handler' 'both accesses ran in a signal handler, '
    not_fixed no-handler
    not_fixed left-handler
    fixed pointer 'publication by plain pointer' 'when the pointer was read, it led to a block of 16 bytes that the thread which wrote it had allocated: '
    not_fixed no-pointer
    not_fixed other-pointer
done
run run --json=out.json ./shapes flag
json out.json races/0/shape/name 'plain flag'
json out.json races/0/shape/advice 'the loop at line .*'
run run --sarif=out.sarif --github ./shapes flag # the same in every format
grep -qF "What usually fixes this (plain flag): the loop at line " out.sarif || fail "SARIF has no advice"
grep -qE '^::error .*%0AWhat usually fixes this \(plain flag\): the loop at line [^%]*$' .out || fail "the annotation has no advice"
run run --json=out.json ./shapes handler-first
json out.json races/0/first/in_signal_handler true
! "$json_at" out.json races/0/second/in_signal_handler >/dev/null 2>&1 || fail "the second access is in no handler"
run run --detector=vc ./shapes handler-first
says 'What usually fixes this \(signal handler\): the earlier access '
run run --json=out.json ./shapes no-flag
json out.json races/0/shape null
run report --github out.json
prints_not "What usually fixes"

build shapes shapes.c -O1 --pf-static
fixed handler-first 'signal handler' 'the earlier access ran in a signal handler, '
not_fixed left-handler

# what stands in the source only where it is there
strip --strip-debug -o bare shapes
start ./bare flag
exits 66
says_not 'What usually fixes'
done_testing
