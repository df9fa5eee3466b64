/* Pieces of loops (src/runtime/pieces.h): a thread that walks over the K words of its chunk, checks some accesses at once
 * and lets others wait, and another that takes the chunk away, at any moment and up to TAKINGS times.
 *
 *   the next step    waits = a?  waits := a + 1, by one instruction that is not locked: a load, then a store
 *   a flush          in the chunk: what waits is checked, from := 0
 *   a beginning      in the chunk: from := waits := a + 1
 *   who takes it     owner := MOVING; membarrier; wait for busy; next := waits, waits := 0, by compare-and-swap;
 *                    membarrier; once more if waits is not 0; checks what waits in the thread's place; owner := OTHER
 *
 * Memory is x86-64's: the thread's stores wait in a buffer. A membarrier is over when the thread is between two
 * instructions and its buffer is empty. (Who takes the chunk is alone in it: its stores need no buffer. So much for the
 * loop's step: a failed compare-and-swap of that kind writes what it has read.)
 *
 * Properties, all of them assertions:
 *
 *   no lost race    when the chunk is another's, and when the thread synchronizes, each access so far was checked
 *   no false race   none was checked twice, and none waits in a chunk that is another's
 *
 * Planted faults, each of which must be found: PLANT_NO_MEMBARRIER (the first), PLANT_NO_BUSY, PLANT_NO_SECOND (none
 * after a piece was stopped), PLANT_STOP_ONCE (nobody looks whether it has stayed so), PLANT_STORE (stopped by a load
 * and a store), PLANT_KEEP_NEXT (where it was stopped for the second time is forgotten).
 */
#ifndef K
#define K 4
#endif
#ifndef TAKINGS
#define TAKINGS 2
#endif

#define MINE   0
#define MOVING 1
#define OTHER  2

byte owner = MINE;
bool busy;
byte waits; /* 0, or the address of the next access, from 1 on */
byte from;
byte next;

bool made[K + 2], checked[K + 2];
bool in_instruction;
bool races, told; /* never: they tell proof/run which property an assertion is */

/* --- the thread's store buffer --- */

#define TO_BUSY  0
#define TO_WAITS 1
#define TO_FROM  2
chan buffer = [4] of { byte, byte };
byte waits_buffered, last_waits, from_buffered, last_from;

#define LOAD_WAITS (waits_buffered > 0 -> last_waits : waits)
#define LOAD_FROM  (from_buffered > 0 -> last_from : from)

inline store(where, value)
{
    atomic {
        buffer!where, value;
        if
        :: where == TO_WAITS -> waits_buffered++; last_waits = value
        :: where == TO_FROM -> from_buffered++; last_from = value
        :: else
        fi
    }
}

active proctype Buffer()
{
    byte where, value;
end:
    do
    :: atomic {
           buffer?where, value ->
           if
           :: where == TO_BUSY -> busy = value
           :: where == TO_WAITS ->
               waits = value;
               waits_buffered--;
               if
               :: waits_buffered == 0 -> last_waits = 0
               :: else
               fi
           :: else ->
               from = value;
               from_buffered--;
               if
               :: from_buffered == 0 -> last_from = 0
               :: else
               fi
           fi;
           where = 0;
           value = 0
       }
    od
}

/* --- checking --- */

inline check(a)
{
    assert(races || !checked[a]);
    checked[a] = true
}

inline check_all(first, end)
{
    i = first;
    do
    :: i < end -> check(i); i++
    :: else -> break
    od;
    i = 0
}

inline all_checked()
{
    i = 1;
    do
    :: i <= K -> assert(!made[i] || checked[i] || told); i++
    :: else -> break
    od;
    i = 0
}

/* --- the thread --- */

inline extend() /* done: the access waits */
{
    seen = LOAD_WAITS;
    if
    :: seen == a ->
        atomic { in_instruction = true; seen = LOAD_WAITS }
        atomic {
            if
            :: seen == a ->
                assert(races || owner != OTHER);
                made[a] = true;
                store(TO_WAITS, a + 1);
                done = true
            :: else -> store(TO_WAITS, seen)
            fi;
            in_instruction = false
        }
    :: else
    fi;
    seen = 0
}

inline announce(on)
{
#ifndef PLANT_NO_BUSY
    store(TO_BUSY, on)
#else
    skip
#endif
}

inline flush()
{
    do
    :: LOAD_FROM == 0 -> break
    :: else ->
        announce(1);
        if
        :: owner == MINE ->
            seen = LOAD_WAITS;
            if
            :: seen != 0 -> next = seen
            :: else
            fi;
            store(TO_WAITS, 0);
            seen = LOAD_FROM;
            atomic { check_all(seen, next) }
            seen = 0;
            store(TO_FROM, 0);
            announce(0)
        :: else ->
            announce(0);
            owner != MOVING
        fi
    od
}

active proctype Thread()
{
    byte a = 1, seen, i;
    bool done;
    do
    :: a > K -> break
    :: else ->
        done = false;
        extend();
        do
        :: done -> break
        :: else ->
            flush();
            announce(1);
            if
            :: owner == MINE ->
                atomic { made[a] = true; check(a) }
                if
                :: store(TO_FROM, a + 1); store(TO_WAITS, a + 1)
                :: skip
                fi;
                announce(0);
                done = true
            :: owner == OTHER ->
                announce(0);
                if
                :: atomic { made[a] = true; check(a) } done = true
                :: owner = MINE /* it takes the chunk back */
                fi
            :: owner == MOVING ->
                announce(0);
                owner != MOVING
            fi
        od;
        a++
    od;
    flush();
    atomic { all_checked() }
}

/* --- who takes the chunk --- */

#define BETWEEN_INSTRUCTIONS (empty(buffer) && !in_instruction)

inline stop() /* again: it was not stopped yet, or the thread has written since */
{
    at = waits;
    again = (at != 0);
    do
    :: at == 0 -> break
    :: else ->
#ifdef PLANT_STORE
        waits = 0;
        stopped = true;
#else
        atomic {
            stopped = (waits == at);
            if
            :: stopped -> waits = 0
            :: else -> at = waits
            fi
        }
#endif
        if
        :: stopped ->
#ifdef PLANT_KEEP_NEXT
            if
            :: !once -> next = at
            :: else
            fi;
#else
            next = at;
#endif
            once = true;
            at = 0
        :: else
        fi
    od;
    stopped = false
}

active proctype Taker()
{
    byte left = TAKINGS, at, i;
    bool again, stopped, once;
    do
    :: break
    :: atomic { (left > 0 && owner == MINE) -> owner = MOVING }
#ifndef PLANT_NO_MEMBARRIER
        BETWEEN_INSTRUCTIONS;
#endif
        !busy;
        if
        :: from != 0 ->
            do
            :: stop();
               if
               :: !again -> break
               :: else
               fi;
#ifndef PLANT_NO_SECOND
               BETWEEN_INSTRUCTIONS;
#endif
#ifdef PLANT_STOP_ONCE
               break
#endif
            od;
            atomic { check_all(from, next) }
            from = 0
        :: else
        fi;
        once = false;
        again = false;
        atomic { all_checked(); owner = OTHER }
        left--
    od
}
