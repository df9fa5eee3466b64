/* Words and records of the live shadow (src/shadow/state.h, record.h; docs/shadow.md): two or three threads, one word of two
 * bytes, every interleaving.
 *
 * A thread makes a few steps, each any of: read or write one byte or both; release into, or acquire from, a sync
 * object. Modelled statement by statement:
 *
 *   the same-epoch test   two loads of halves of the word, no store
 *   the whole word        load, compare-and-swap, again if that fails
 *   expansion             take a record, lock it, fill it, compare-and-swap the word; or give it back
 *   a record              lock, look whether the word still names it, change cells
 *   fold                  compare-and-swap the word, give the record back, unlock: the next expansion takes it
 *
 * In the program a word gets a record for an atomic access or a sync object; here every access to one byte is such a one. Byte
 * cells, for plain accesses, are in bytes.pml.
 *
 * Memory is sequentially consistent here, which is as good as x86-64's: the word is changed by locked instructions only, and
 * cells are read and changed under the record's lock.
 *
 * Abstracted: a read set is the vector of its readers' clocks (sets are immutable values); the FastTrack2 rule is one
 * step between load and compare-and-swap (it is a pure function); cells have no atomic parts; memory is not cleared. Clocks,
 * mailboxes and the record pool have locks of their own, so that their operations are one step.
 *
 * Properties: those of judge.pml, for each byte, and
 *
 *   no lost record  when all threads are done, the pool holds every record but the word's       (assertion)
 *
 * Planted faults, each of which must be found: PLANT_NO_RECHECK (a record is believed without looking at the word
 * again), PLANT_STORE (the word is stored, not compared and swapped), PLANT_EARLY_GIVE (a fold gives the record back before
 * the word lets go of it), PLANT_NO_RESET (a record keeps its old cells when it is used again).
 */
#define DRAINED true
#include "judge.pml"

#define RECORDS N /* a thread holds at most one that no word names */

/* --- words: a cell's state, or EXPANDED and the number of a record --- */

#define EXPANDED     STATES
#define RECORD_OF(w) ((w) & 15)

short word;
bool locked[RECORDS];
short cell[RECORDS * 2];
bool pooled[RECORDS];

/* --- a whole word --- */

inline whole_word() /* expanded: true when there is a record to be used instead */
{
    d_step { old = word; rule() };
    do
    :: old >= EXPANDED || new == old -> break
    :: old < EXPANDED && new != old ->
        atomic {
            if
#ifdef PLANT_STORE
            :: true -> word = new; tell_hits(3); old = new
#else
            :: word == old -> word = new; tell_hits(3); old = new
            :: word != old -> old = word; rule()
#endif
            fi
        }
    od;
    atomic { expanded = (old >= EXPANDED); old = 0; new = 0; hit = false }
}

/* --- records --- */

inline lock(i)
{
    atomic { !locked[i] -> locked[i] = true }
}

inline record_lock() /* r */
{
    do
    :: d_step { old = word; r = (old >= EXPANDED -> RECORD_OF(old) : 0) };
        if
        :: old >= EXPANDED ->
            lock(r);
#ifndef PLANT_NO_RECHECK
            if
            :: word == old -> break
            :: else -> locked[r] = false
            fi
#else
            break
#endif
        :: else ->
            atomic { /* from the pool */
                if
                :: pooled[0] -> r = 0
                :: !pooled[0] && pooled[1] -> r = 1
#if N == 3
                :: !pooled[0] && !pooled[1] -> r = 2; assert(pooled[2])
#endif
                fi;
                pooled[r] = false
            };
            atomic {
                !locked[r] -> locked[r] = true
#ifndef PLANT_NO_RESET
                ; cell[2 * r] = old; cell[2 * r + 1] = old /* nobody else looks at them */
#endif
            };
            atomic {
                if
                :: word == old -> word = EXPANDED | r; old = EXPANDED | r
                :: else -> old = -1
                fi
            };
            if
            :: old != -1 -> break
            :: else -> locked[r] = false; pooled[r] = true
            fi
        fi
    od;
    old = 0
}

inline cell_access(b)
{
    d_step {
        old = cell[2 * r + b];
        rule();
        cell[2 * r + b] = new;
        tell_hits(1 << b);
        old = 0;
        new = 0
    }
}

inline record_unlock()
{
    if
    :: cell[2 * r] == cell[2 * r + 1] ->
#ifdef PLANT_EARLY_GIVE
        pooled[r] = true; locked[r] = false;
#endif
        atomic {
            if
            :: word == (EXPANDED | r) -> word = cell[2 * r]
            :: else
            fi
        };
#ifndef PLANT_EARLY_GIVE
        locked[r] = false;
        pooled[r] = true
#endif
    :: else -> locked[r] = false
    fi;
    r = 0
}

inline recorded_bytes()
{
    if
    :: again -> d_step {
            old = word;
            new = (old < EXPANDED && (W_OF(old) == NOW(t) || (!writes && READS(old) == NOW_READ(t))));
            old = 0
        }
    :: else
    fi;
    if
    :: new
    :: else ->
        record_lock();
        atomic { /* under the lock */
            if
            :: COVERS(places, 0) -> cell_access(0)
            :: else
            fi;
            if
            :: COVERS(places, 1) -> cell_access(1)
            :: else
            fi
        };
        record_unlock()
    fi
}

/* --- a thread --- */

inline same_epoch() /* new: whether it is; two loads, since the halves are looked at one after the other */
{
    d_step {
        old = word;
        new = (old < EXPANDED && (writes -> W_OF(old) == NOW(t) : READS(old) == NOW_READ(t)));
        old = 0
    };
    if
    :: !new && !writes -> d_step { old = word; new = (old < EXPANDED && W_OF(old) == NOW(t)); old = 0 }
    :: else
    fi
}

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    byte r;
    bool expanded;
    do
    :: left == 0 -> break
    :: CAN_RELEASE -> release()
    :: CAN_ACQUIRE -> acquire()
    :: left > 0 ->
        atomic { choose_access(true) };
        if
        :: again -> same_epoch()
        :: else /* the word cannot hold an epoch in which the thread has accessed nothing */
        fi;
        if
        :: new
        :: else ->
            expanded = true;
            if
            :: places == 3 -> whole_word()
            :: else
            fi;
            if
            :: expanded -> recorded_bytes()
            :: else
            fi
        fi;
        atomic { places = 0; writes = false; expanded = false; again = false; new = 0 }
    od;
    done++
}

init
{
    atomic {
        byte i;
        for (i : 0 .. N - 1) {
            CLOCK(i, i) = 1;
            run Thread(i)
        }
        for (i : 0 .. RECORDS - 1) {
            pooled[i] = true
        }
        i = 0
    }
    atomic {
        done == N ->
        judge_at_the_end();
        assert(pooled[0] || word == EXPANDED); /* no lost record */
        assert(pooled[1] || word == (EXPANDED | 1))
#if N == 3
        ; assert(pooled[2] || word == (EXPANDED | 2))
#endif
    }
}
