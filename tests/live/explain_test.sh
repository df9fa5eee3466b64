# Why nothing orders the two accesses of a race: what the first thread released since, what the second acquired before.
. "$(dirname "$0")/lib.sh"
line() { # TEXT: the line of edges.c in which it stands, by the function before
    awk -v function_name="$1" -v text="$2" '$0 ~ "^[a-z].* " function_name "\\(" { in_it = 1 } in_it && index($0, text) { print NR; exit }' \
        "$live/edges.c"
}
neither='^    Neither held a lock, and nothing else orders the access of the main thread after that of thread T1\.$'
unreached='^    Nothing that thread T1 did had reached the main thread\.$'

for compiler in gcc clang-19; do
    PF_CC=$compiler build edges edges.c -O1

    start ./edges locks
    exits 66
    races 1
    says '^  Why nothing orders them:$'
    says '^    No lock in common: thread T1 held M2 \(m\), the main thread held M1 \(q\); nothing else orders them\.$'
    says "^    Thread T1 unlocked M2 \(m\) at edges.c:$(line unlocks 'first releases') after its write; the main thread had never locked it before its (read|write)\.$"
    says "$unreached"

    start ./edges row
    says '^    No lock in common: thread T1 held M2 \(row\), the main thread held M1 \(row\+80\); nothing else orders them\.$'
    says "^  Mutex M1 is global 'row\+80'\.$"

    start ./edges early
    exits 66
    says "; the main thread locked it at edges.c:$(line too_early 'too early'), before that\.$"
    says_not 'never'

    start ./edges posted
    says "$neither"
    says "^    Thread T1 posted semaphore 'full' at edges.c:$(line posts 'first releases') after its write; the main thread had never waited for it before "
    start ./edges posted-early
    says "posted semaphore 'full' at .*; the main thread waited for it at edges.c:$(line waits_early sem_wait), before that\.$"

    start ./edges stored
    says "^    Thread T1 wrote atomic 'ready' \(release\) at edges.c:$(line stores 'first releases') after its write; the main thread had never read it before "
    start ./edges loaded-relaxed
    says "; the main thread read it \(relaxed\) at edges.c:$(line loads_relaxed 'second loads'), which acquires nothing\.$"
    start ./edges added
    says "after its write; the main thread had never read it with acquire order before "
    start ./edges remade
    says '^    Both held M1 \(m\), which did not order them: between the two it was destroyed or initialized anew, '
    says "; the main thread locked it at edges.c:$(line remakes pthread_mutex_lock)\.$"
    says_not 'No lock in common'
    start ./edges stored-relaxed
    says "^    Thread T1 wrote atomic 'ready' \(relaxed\) at edges.c:$(line stores_relaxed 'first stores') after its write, which releases nothing; the main thread read it \(acquire\) at edges.c:$(line loads_acquire 'second loads')\.$"

    start ./edges pipe
    says '^    Thread T1 released through the kernel .*; the main thread had never acquired what was released there '
    start ./edges once
    says "^    Thread T1 ended one-time initialization 'once' after its write; the main thread had never seen its end "
    start ./edges nothing
    says "$neither"
    says '^    Thread T1 has released nothing since its write\.$'
    says_not 'has ended'
    start ./edges readers
    says '^    Both held M1 for reading only, which orders nothing between them\.$'
    says 'are not ordered by it\.$'

    start ./edges known
    says "^    The last that the main thread knew of thread T1 is that it unlocked mutex 'm' at edges.c:$(line releases_before 'last known')\.$"
    says_not "$unreached"
    start ./edges created
    says "^    The last that thread T1 knew of the main thread is that it created thread T1 at edges.c:$(line main pthread_create)\.$"
    says "^    The main thread has released nothing since its write\.$"
    start ./edges barriers
    says "^    The last that the main thread knew of thread T1 is that it arrived at barrier 'barrier' at edges.c:$(line both_pass pthread_barrier_wait)\.$"

    # 'never' only as far back as is known
    start ./edges crowded
    says 'the main thread had not locked it before its (read|write), as far back as is known\.$'
    says_not 'never'

    # a thread that has ended
    start ./edges ended
    says '^    Thread T1 has ended, and the main thread has not joined it\.$'
done

# the same as data
run run --json=out.json ./edges early
json out.json races/0/explain '.*; the main thread locked it at edges.c:[0-9]+, before that\. .*'
json out.json races/0/sync '[4-6]'
json out.json races/0/sync/0/thread T1
json out.json races/0/sync/0/what acquire
json out.json races/0/sync/0/position before
json out.json races/0/sync/1/what release
json out.json races/0/sync/1/object m
json out.json races/0/sync/1/mutex M1
json out.json races/0/sync/1/kind mutex
json out.json races/0/sync/1/side first
json out.json races/0/sync/1/position after
json out.json races/0/sync/1/reached false
json out.json races/0/sync/1/stack/0/function unlocks
run run --json=out.json ./edges known
json out.json races/0/sync/0/reached true
json out.json races/0/sync/0/stack/0/function releases_before
run run --json=out.json ./edges created
json out.json races/0/sync/0/what create
json out.json races/0/sync/0/object T1
json out.json races/0/sync/0/thread main

# source lines of both accesses, the one marked; not where the file is newer than the program, or is gone
cp "$live/edges.c" copied.c # its include is beside the tests
build copied "$PWD/copied.c" -O1 -I"$live"
start ./copied locks
says "^    > +$(line unlocks 'shared = 1') \|     shared = 1;$"
says "^    > +$(line other_lock 'second accesses') \|     shared\+\+; /\* second accesses \*/$"
says "^      +$(line other_lock 'mutex_lock') \|     pthread_mutex_lock\(&q\);$"
PHOTOFINISH_OPTIONS=source_lines=1 start ./copied locks
says '^    > '
says_not '^      +[0-9]+ \|'
PHOTOFINISH_OPTIONS=source_lines=0 start ./copied locks
says_not '^    > '
PHOTOFINISH_OPTIONS=strip_path_prefix=$PWD/ start ./copied locks
says '#0 other_lock copied.c:'
says '^    > '
{ sed -n '/second accesses/q;p' "$live/edges.c" && printf '    shared++; /* %0300d */\n' 0 && sed '1,/second accesses/d' "$live/edges.c"; } >copied.c
touch -d '-1 hour' copied.c # as if it had been so
start ./copied locks
says '^    > +[0-9]+ \|     shared\+\+; /\* 0{140}\.\.\.$' # what is too long
touch -d '+1 hour' copied.c
start ./copied locks
exits 66
says_not '^    > '
rm copied.c
start ./copied locks
exits 66
says_not '^    > '

# other detectors keep no such history: what is not known is left out
run run --detector=djit ./edges early
exits 66
says '^    Thread T1 held M1 \(m\), the main thread held no lock; nothing else orders them\.$'
says_not 'after its write|had reached'
done_testing
