/* Mixed pairs (src/shadow/mixed.h): a pair of two words, each of which is one byte here, with room for two epochs. Every
 * interleaving of two or three threads that read and write one byte or both.
 *
 *   a pair       both words are loaded, one after the other. If they are simple, or mixed, and the accessed bytes can be what they
 *                become with two epochs in all: both are changed by one compare-and-swap. They are plain if they agree then
 *   same epoch   is believed without a compare-and-swap, if both words are the same at one moment afterwards
 *   a break      of a mixed pair that cannot say what comes next (a third epoch, several readers, a race): both words become
 *                BUSY by one compare-and-swap, then each is plain
 *   a word       that is plain may also be changed by itself, by compare-and-swap
 *   BUSY         whoever finds it waits
 *
 * Properties: those of judge.pml, for each byte; and that at the end both words are mixed or none.
 *
 * Planted faults, each of which must be found: PLANT_HALF (only the low word is compared), PLANT_STORE (a pair is stored, not
 * compared and swapped), PLANT_BREAK (a pair is broken up without being BUSY in between), PLANT_MOVE (a new epoch always gets number 1),
 * PLANT_TORN (the words are not looked at once more), PLANT_ANY (a race is no reason for a break).
 */
#define DRAINED true
#include "judge.pml"

/* A mixed word: MIXED | number of R, 2 bits | number of W, 2 bits | epoch 1 (low word) or 2 (high word), 4 bits */
#define MIXED       STATES
#define BUSY        (2 * STATES)
#define IS_MIXED(w) ((w) >= MIXED && (w) < BUSY)

short word[2];

#if N == 3
#define READER_OF(s) (R_OF(s, 0) -> R_OF(s, 0) : (R_OF(s, 1) -> 4 | R_OF(s, 1) : (R_OF(s, 2) -> 8 | R_OF(s, 2) : 0)))
#else
#define READER_OF(s) (R_OF(s, 0) -> R_OF(s, 0) : (R_OF(s, 1) -> 4 | R_OF(s, 1) : 0))
#endif
#define READ_BY(e)   (((e) & 3) << (4 + 2 * ((e) >> 2)))
#define SIMPLE(s)    ((s) < STATES && READS(s) == READ_BY(READER_OF(s)))
#define HAS(s, e)    (W_OF(s) == (e) || READER_OF(s) == (e))
#define EPOCH(n)     ((n) == 1 -> first : ((n) == 2 -> second : 0))
#define STATE_OF(w)  (IS_MIXED(w) -> EPOCH(((w) >> 4) & 3) | READ_BY(EPOCH(((w) >> 6) & 3)) : (w))

/* The number of epoch e, which gets one; 3: there is no room. */
inline number(e, n)
{
    if
    :: e == 0 -> n = 0
    :: e != 0 && e == first -> n = 1
    :: e != 0 && e != first && e == second -> n = 2
#ifdef PLANT_MOVE
    :: else -> first = e; n = 1
#else
    :: e != 0 && e != first && e != second && first == 0 -> first = e; n = 1
    :: e != 0 && e != first && e != second && first != 0 && second == 0 -> second = e; n = 2
    :: e != 0 && e != first && e != second && first != 0 && second != 0 -> n = 3
#endif
    fi
}

/* What byte b becomes. */
inline byte_step(b, state)
{
    if
    :: COVERS(places, b) ->
        old = state;
        rule();
        state = new;
#ifndef PLANT_ANY
        fits = fits && !hit;
#endif
        same = same && new == old
    :: else
    fi
}

/* From low and high to low_to and high_to. same: there is nothing to do. fits: the pair can say it. */
inline pair_step()
{
    first = (IS_MIXED(low) -> low & 15 : 0);
    second = (IS_MIXED(high) -> high & 15 : 0);
    same = true;
    fits = SIMPLE(STATE_OF(low)) && SIMPLE(STATE_OF(high));
    low_to = STATE_OF(low);
    high_to = STATE_OF(high);
    byte_step(0, low_to);
    byte_step(1, high_to);
    fits = fits && SIMPLE(low_to) && SIMPLE(high_to);
    first = (HAS(low_to, first) || HAS(high_to, first) -> first : 0);
    second = (HAS(low_to, second) || HAS(high_to, second) -> second : 0);
    if
    :: fits && low_to != high_to ->
        part = W_OF(low_to);
        number(part, low_w);
        part = READER_OF(low_to);
        number(part, low_r);
        part = W_OF(high_to);
        number(part, high_w);
        part = READER_OF(high_to);
        number(part, high_r);
        part = 0;
        fits = low_w != 3 && low_r != 3 && high_w != 3 && high_r != 3;
        low_to = MIXED | low_r << 6 | low_w << 4 | first;
        high_to = MIXED | high_r << 6 | high_w << 4 | second
    :: else
    fi;
    old = 0; new = 0; hit = false; low_w = 0; low_r = 0; high_w = 0; high_r = 0
}

#ifdef PLANT_STORE
#define AS_BEFORE true
#else
#ifdef PLANT_HALF
#define AS_BEFORE (word[0] == low)
#else
#define AS_BEFORE (word[0] == low && word[1] == high)
#endif
#endif

inline swap_pair()
{
    atomic {
        if
        :: AS_BEFORE -> word[0] = low_to; word[1] = high_to; finished = true
        :: else
        fi
    }
}

inline break_pair()
{
    d_step {
        first = low & 15;
        second = high & 15;
        low_to = STATE_OF(low);
        high_to = STATE_OF(high)
    };
    atomic {
        taken = (word[0] == low && word[1] == high);
#ifndef PLANT_BREAK
        if
        :: taken -> word[0] = BUSY; word[1] = BUSY
        :: else
        fi
#endif
    };
    if
    :: taken ->
        word[0] = low_to;
        word[1] = high_to
    :: else
    fi;
    taken = false
}

/* A step on one plain word, which was `seen`. */
inline word_step(b, seen)
{
    if
    :: COVERS(places, b) && seen < STATES ->
        old = seen;
        d_step { rule() };
        atomic {
            if
            :: word[b] == old -> word[b] = new; tell_hits(1 << b)
            :: else -> hit = false
            fi
        };
        atomic { old = 0; new = 0 }
    :: else
    fi
}

inline access()
{
    do
    :: finished -> break
    :: else ->
        low = word[0];
        high = word[1];
        if
        :: low == BUSY || high == BUSY -> (word[0] != BUSY && word[1] != BUSY)
        :: low != BUSY && high != BUSY && IS_MIXED(low) != IS_MIXED(high) -> skip /* loaded at different times */
        :: low != BUSY && high != BUSY && IS_MIXED(low) == IS_MIXED(high) ->
            d_step { pair_step() };
            if
#ifdef PLANT_TORN
            :: same -> finished = true
#else
            :: same -> finished = (word[0] == low && word[1] == high)
#endif
            :: !same && fits -> swap_pair()
            :: !same && !fits && IS_MIXED(low) -> break_pair()
            :: !same && !IS_MIXED(low) -> word_step(0, low); word_step(1, high) /* and once more: same epoch */
            fi
        fi;
        atomic { low = 0; high = 0; low_to = 0; high_to = 0; first = 0; second = 0; same = false; fits = false }
    od;
    finished = false
}

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    short low, high, low_to, high_to;
    byte first, second, part, low_w, low_r, high_w, high_r;
    bool same, fits, taken, finished;
    do
    :: left == 0 -> break
    :: CAN_RELEASE -> release()
    :: CAN_ACQUIRE -> acquire()
    :: left > 0 ->
        atomic { choose_access(true) };
        access();
        atomic { places = 0; writes = false; again = false }
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
        i = 0
    }
    atomic { done == N -> judge_at_the_end(); assert(IS_MIXED(word[0]) == IS_MIXED(word[1])) }
}
