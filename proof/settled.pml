/* Settled vectors of readers (src/shadow/readers.h): two words of a shared chunk, each with a vector to itself, every
 * interleaving of two or three threads that read and write them.
 *
 *   a read, settled     `busy`; look at the word; entry := epoch by a plain store; busy := none
 *   a read, not settled one step (readers.pml takes it apart)
 *   settling            the word's flag, by compare-and-swap, at any time
 *   a write, settled    the word is LEAVING, by compare-and-swap; membarrier; wait for whoever is busy; not settled
 *   a write then        compare-and-swap the word, look at the entries one by one, make them empty, give the vector back
 *
 * Memory is x86-64's, as in frozen.pml: the stores of busy and of entries wait in a buffer of their thread.
 *
 * Abstracted, beyond judge.pml: any read that changes a word may give it its vector. Where START is defined, both words
 * have settled vectors from the start.
 *
 * Properties: those of judge.pml, for each word, and
 *
 *   no lost vector  when all threads are done, a vector that its word does not name is empty       (assertion)
 *
 * Planted faults, each of which must be found: PLANT_NO_MEMBARRIER, PLANT_NO_BUSY (readers do not announce themselves),
 * PLANT_NO_WAIT (a writer does not wait for them), PLANT_LOOK_FIRST (a reader looks at the word, then announces itself),
 * PLANT_NO_LEAVING (a vector is not settled any more before all readers are waited for), PLANT_NO_CHECK (a reader is
 * not compared with the last write).
 */
#define DRAINED (empty(buffer[t]))
#include "judge.pml"

#define WORDS 2

/* --- words: a state; or VECTOR and W, with flags --- */

#define VECTOR     STATES
#define SETTLED    (2 * STATES)
#define LEAVING    (4 * STATES)
#define STAYS      (SETTLED | LEAVING)
#define ENTRY(x, u) entry[(x) * N + (u)]

#ifdef START
#define FIRST_WORD (VECTOR | SETTLED)
#else
#define FIRST_WORD 0
#endif

short word[WORDS] = FIRST_WORD;
byte entry[WORDS * N];
short before[WORDS];
bool taken[WORDS]; /* the vector is somebody's, who has taken it from its word */
bool busy[N];

/* --- store buffers --- */

#define TO_BUSY     0
#define TO_ENTRY(x) (1 + (x))
chan buffer[N] = [3] of { byte, byte };

proctype Buffer(byte t)
{
    byte to, value;
end:
    do
    :: atomic {
           buffer[t]?to, value ->
           if
           :: to == TO_BUSY -> busy[t] = value
           :: else -> ENTRY(to - 1, t) = value
           fi;
           to = 0;
           value = 0
       }
    od
}

inline announce(on)
{
#ifndef PLANT_NO_BUSY
    buffer[t]!TO_BUSY, on
#else
    skip
#endif
}

#define DRAINED_ONCE(u)                                                                                       \
    if                                                                                                        \
    :: t != u -> empty(buffer[u])                                                                             \
    :: else                                                                                                   \
    fi
#define NOT_BUSY(u)                                                                                           \
    if                                                                                                        \
    :: t != u -> !busy[u]                                                                                     \
    :: else                                                                                                   \
    fi

/* --- reads --- */

#define KNOWN (ENTRY(x, t) == CLOCK(t, t) || buffer[t]??[eval(TO_ENTRY(x)), eval(CLOCK(t, t))])

#ifndef PLANT_NO_CHECK
#define MAY_NOTE BEFORE(W_OF(old), t)
#else
#define MAY_NOTE true
#endif

inline note_read() /* noted: the read is done */
{
#ifdef PLANT_LOOK_FIRST
    old = word[x];
    announce(1);
#else
    announce(1);
    old = word[x];
#endif
    if
    :: old & SETTLED && KNOWN -> noted = true
    :: old & SETTLED && !KNOWN && MAY_NOTE -> buffer[t]!TO_ENTRY(x), CLOCK(t, t); noted = true
    :: else
    fi;
    announce(0);
    old = 0
}

/* Not by a store: among readers in a vector, or in the word, or by giving the word its vector. */
inline read_in_one_step()
{
    atomic {
        DRAINED ->
        old = word[x];
        if
        :: old & VECTOR ->
            hit = !BEFORE(W_OF(old), t);
            ENTRY(x, t) = CLOCK(t, t);
        :: !(old & VECTOR) ->
            rule();
            if
            :: true -> word[x] = new
            :: new != old && !taken[x] ->
                before[x] = READS(old);
                ENTRY(x, t) = CLOCK(t, t);
                word[x] = VECTOR | W_OF(old)
            fi
        fi;
        tell_hits(1 << x);
        old = 0;
        new = 0
    }
}

inline read()
{
    note_read();
    if
    :: noted
    :: else -> read_in_one_step()
    fi;
    noted = false
}

/* --- writes --- */

inline unsettle()
{
    atomic {
        DRAINED ->
        if
        :: word[x] & SETTLED ->
#ifdef PLANT_NO_LEAVING
            word[x] = word[x] & ~SETTLED;
#else
            word[x] = (word[x] & ~SETTLED) | LEAVING;
#endif
            mine = true
        :: else
        fi
    };
    if
    :: mine ->
#ifndef PLANT_NO_MEMBARRIER
        DRAINED_ONCE(0);
        DRAINED_ONCE(1);
#if N == 3
        DRAINED_ONCE(2);
#endif
#endif
#ifndef PLANT_NO_WAIT
        NOT_BUSY(0);
        NOT_BUSY(1);
#if N == 3
        NOT_BUSY(2);
#endif
#endif
        word[x] = word[x] & ~LEAVING;
        mine = false
    :: else
    fi
}

#define LOOK_AT(u)                                                                                            \
    d_step {                                                                                                  \
        if                                                                                                    \
        :: ENTRY(x, u) > CLOCK(t, u) || R_OF(before[x], u) > CLOCK(t, u) -> hit = true                        \
        :: else                                                                                               \
        fi                                                                                                    \
    }

inline take_vector() /* the word was `old`; swapped: its vector is the thread's */
{
    atomic {
        DRAINED ->
        if
        :: word[x] == old ->
            word[x] = NOW(t);
            taken[x] = true;
            hit = !BEFORE(W_OF(old), t);
            swapped = true
        :: else
        fi
    };
    if
    :: swapped ->
        LOOK_AT(0);
        LOOK_AT(1);
#if N == 3
        LOOK_AT(2);
#endif
        tell_hits(1 << x);
        ENTRY(x, 0) = 0;
        ENTRY(x, 1) = 0;
#if N == 3
        ENTRY(x, 2) = 0;
#endif
        atomic { before[x] = 0; taken[x] = false }
    :: else
    fi
}

inline write()
{
    do
    :: swapped -> break
    :: else ->
        old = word[x];
        if
        :: old & SETTLED -> unsettle()
        :: old & LEAVING -> !(word[x] & LEAVING)
        :: old & VECTOR && !(old & STAYS) && W_OF(old) == NOW(t) -> break
        :: old & VECTOR && !(old & STAYS) && W_OF(old) != NOW(t) -> take_vector()
        :: !(old & VECTOR) ->
            atomic {
                DRAINED ->
                if
                :: word[x] == old -> rule(); word[x] = new; tell_hits(1 << x); new = 0; swapped = true
                :: else
                fi
            }
        fi
    od;
    atomic { old = 0; swapped = false; hit = false }
}

#if N == 3
#define ALL_EMPTY(x) (ENTRY(x, 0) == 0 && ENTRY(x, 1) == 0 && ENTRY(x, 2) == 0)
#else
#define ALL_EMPTY(x) (ENTRY(x, 0) == 0 && ENTRY(x, 1) == 0)
#endif

/* --- a thread --- */

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    byte x;
    bool noted, mine, swapped;
    do
    :: left == 0 -> break
    :: CAN_RELEASE -> release()
    :: CAN_ACQUIRE -> acquire()
    :: left > 0 ->
        atomic { choose_access(false); x = places >> 1 };
        if
        :: writes -> write()
        :: else -> read()
        fi;
        atomic { places = 0; writes = false; again = false; x = 0 }
    :: left > 0 -> /* in passing */
        atomic {
            if
            :: (word[0] & VECTOR) && !(word[0] & STAYS) -> word[0] = word[0] | SETTLED
            :: (word[1] & VECTOR) && !(word[1] & STAYS) -> word[1] = word[1] | SETTLED
            :: else
            fi
        }
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
    atomic {
        done == N ->
        judge_at_the_end();
        assert((word[0] & VECTOR) || ALL_EMPTY(0)); /* no lost vector */
        assert((word[1] & VECTOR) || ALL_EMPTY(1))
    }
}
