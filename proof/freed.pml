/* Memory that is given back (src/shadow/freed.h): a pair of words, every interleaving of two or three
 * threads that read and write them, or free both.
 *
 *   free     entry := E, a plain store; a fence; both words are looked at. Empty: they stay so. Otherwise both become so
 *            by one compare-and-swap; where there is a race, each is written like any other
 *   access   an empty word, and an entry: the word becomes E first. An empty word and no entry: its step, by
 *            compare-and-swap, and a second look for an entry; if there is one now, a race with it
 *
 * Memory is x86-64's: stores to the entry wait in a buffer of their thread until it executes a locked instruction or a fence.
 *
 * Abstracted, beyond judge.pml: nothing is given out again; two threads do not free at the same time, which no allocator
 * would survive (one after the other, without order, they do: realloc() and free()).
 *
 * Properties: those of judge.pml, for each word.
 *
 * Planted faults, each of which must be found: PLANT_NO_FENCE, PLANT_NO_SECOND_LOOK (an access does not look for the entry
 * again), PLANT_STORE (free stores both words), PLANT_TAKING (who spells an entry out takes it away), PLANT_NO_ENTRY_LOOK
 * (an access does not look for an entry at first), PLANT_NO_COMPARE (free does not compare itself with an entry).
 */
#define DRAINED (empty(buffer[t]))
#include "judge.pml"

short word[2];
byte entry;
bool freeing;

/* --- store buffers --- */

chan buffer[N] = [3] of { byte };
byte waiting[N], last[N]; /* how many stores, and the last one's value */

#define LOAD_ENTRY (waiting[t] > 0 -> last[t] : entry)

proctype Buffer(byte t)
{
    byte value;
end:
    do
    :: atomic {
           buffer[t]?value ->
           entry = value;
           value = 0;
           waiting[t]--;
           if
           :: waiting[t] == 0 -> last[t] = 0
           :: else
           fi
       }
    od
}

inline store_entry(value)
{
    atomic { nfull(buffer[t]) -> waiting[t]++; last[t] = value; buffer[t]!value }
}

/* --- accesses --- */

inline spell_out() /* `when`: what the entry says */
{
    atomic {
        DRAINED ->
        if
        :: word[x] == 0 -> word[x] = when
        :: else
        fi;
#ifdef PLANT_TAKING
        entry = 0;
#endif
        when = 0
    }
}

/* Word x. */
inline access()
{
    do
    :: old = word[x];
        if
#ifndef PLANT_NO_ENTRY_LOOK
        :: old == 0 -> when = LOAD_ENTRY
#endif
        :: else
        fi;
        if
        :: when != 0 -> spell_out()
        :: else ->
            d_step { rule() };
            if
            :: new == old -> break
            :: else ->
                atomic {
                    DRAINED ->
                    swapped = (word[x] == old);
                    if
                    :: swapped -> word[x] = new; tell_hits(1 << x)
                    :: else -> hit = false
                    fi
                };
                if
                :: swapped -> break
                :: else
                fi
            fi
        fi
    od;
#ifndef PLANT_NO_SECOND_LOOK
    if
    :: swapped && old == 0 -> when = LOAD_ENTRY
    :: else
    fi;
    if
    :: when != 0 ->
        atomic { hit = !BEFORE(when, t); tell_hits(1 << x) }
    :: else
    fi;
#endif
    atomic { old = 0; new = 0; hit = false; swapped = false; when = 0 }
}

/* --- free --- */

inline follows(y) /* hit: the write races with what the word says */
{
    d_step { old = word[y]; rule(); hit2 = hit2 || (old != 0 && hit); hit = false; seen[y] = old; old = 0; new = 0 }
}

inline swap_both()
{
    atomic {
        DRAINED ->
#ifdef PLANT_STORE
        swapped = true;
#else
        swapped = (word[0] == seen[0] && word[1] == seen[1]);
#endif
        if
        :: swapped -> word[0] = 0; word[1] = 0
        :: else
        fi
    }
}

inline give_back()
{
    atomic { !freeing -> freeing = true };
    when = LOAD_ENTRY;
#ifndef PLANT_NO_COMPARE
    if
    :: when != 0 -> atomic { hit = !BEFORE(when, t); tell_hits((word[0] == 0 -> 1 : 0) | (word[1] == 0 -> 2 : 0)) }
    :: else
    fi;
#endif
    when = 0;
    store_entry(NOW(t));
#ifndef PLANT_NO_FENCE
    DRAINED;
#endif
    follows(0);
    follows(1);
    if
    :: seen[0] == 0 && seen[1] == 0
    :: else ->
        if
        :: hit2
        :: else -> swap_both()
        fi;
        if
        :: swapped -> swapped = false
        :: else ->
            x = 0;
            access();
            x = 1;
            access();
            x = 0
        fi
    fi;
    atomic { DRAINED -> freeing = false; hit2 = false; seen[0] = 0; seen[1] = 0 }
}

/* --- a thread --- */

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    byte x, when;
    bool swapped, hit2;
    short seen[2];
    do
    :: left == 0 -> break
    :: CAN_RELEASE -> release()
    :: CAN_ACQUIRE -> acquire()
    :: left > 0 ->
        atomic { choose_access(true) };
        if
        :: writes && places == 3 -> give_back()
        :: else ->
            if
            :: COVERS(places, 0) -> x = 0; access()
            :: else
            fi;
            if
            :: COVERS(places, 1) -> x = 1; access()
            :: else
            fi
        fi;
        atomic { places = 0; writes = false; again = false; x = 0 }
    od;
    atomic { DRAINED -> done++ }
}

init
{
    atomic {
        byte i;
        for (i : 0 .. N - 1) {
            CLOCK(i, i) = 1;
            run Buffer(i);
            run Thread(i)
        }
        i = 0
    }
    atomic { done == N -> judge_at_the_end() }
}
