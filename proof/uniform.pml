/* Uniform chunks (src/shadow/uniform.h): one chunk of two words, every interleaving of two or three threads that access
 * one of them or both at once.
 *
 *   nobody's chunk          the thread's that comes first, by compare-and-swap
 *   its owner               announced in `busy`, plain loads and stores; if it accesses both words, and makes the same of
 *                           them: the one word, then owner -> UNIFORM, by compare-and-swap
 *   another thread          MOVING, membarrier, wait for the owner's busy: the chunk is its own
 *   uniform, both words     MOVING, by compare-and-swap; the one word; UNIFORM
 *   uniform, one of them    MOVING, by compare-and-swap; both words say what the one did; nobody's
 *
 * Memory is x86-64's, as in shadow.pml: the stores of busy and of the owner's words wait in a buffer of their thread.
 * (Who moves a chunk is alone in it: its stores need none.)
 *
 * Properties: those of judge.pml, for each word. The same-epoch test looks at words that mean nothing, too.
 *
 * Planted faults, each of which must be found: PLANT_STORE (the owner stores UNIFORM), PLANT_NO_LOCK (who accesses both
 * words of a uniform chunk does not make it MOVING), PLANT_ONE_WORD (only the word that is accessed is spelled out),
 * PLANT_EARLY (the chunk is nobody's before its words are spelled out), PLANT_FIRST_WORD (the chunk is uniform though
 * its words are not alike), PLANT_SILENT (a step of both words that races is made all the same).
 */
#define DRAINED (empty(buffer[t]))
#include "judge.pml"

#define WORDS 2

#define NOBODY  0
#define MINE(t) ((t) + 1)
#define UNIFORM 13
#define MOVING  14

short word[WORDS], uniform;
byte owner = NOBODY;
bool busy[N];

/* --- store buffers --- */

#define TO_BUSY    0
#define TO_WORD(x) (1 + (x))
chan buffer[N] = [4] of { byte, short };
byte words_buffered[N * WORDS]; /* stores to the word among them, and the last one's value */
short word_buffered[N * WORDS];

#define LOAD_WORD(x) (words_buffered[t * WORDS + x] > 0 -> word_buffered[t * WORDS + x] : word[x])

proctype Buffer(byte t)
{
    byte to;
    short value;
end:
    do
    :: atomic {
           buffer[t]?to, value ->
           if
           :: to == TO_BUSY -> busy[t] = value
           :: else ->
               to = to - 1;
               word[to] = value;
               words_buffered[t * WORDS + to]--;
               if
               :: words_buffered[t * WORDS + to] == 0 -> word_buffered[t * WORDS + to] = 0
               :: else
               fi
           fi;
           to = 0;
           value = 0
       }
    od
}

inline announce(on)
{
    buffer[t]!TO_BUSY, on
}

inline store_word(x, value)
{
    atomic {
        nfull(buffer[t]) ->
        words_buffered[t * WORDS + x]++;
        word_buffered[t * WORDS + x] = value;
        buffer[t]!TO_WORD(x), value
    }
}

inline swap_owner(from, to) /* swapped: it was `from` */
{
    atomic {
        DRAINED ->
        if
        :: owner == from -> owner = to; swapped = true
        :: else -> swapped = false
        fi
    }
}

#define DRAINED_ONCE(u)                                                                                       \
    if                                                                                                        \
    :: t != u -> empty(buffer[u])                                                                             \
    :: else                                                                                                   \
    fi

inline membarrier()
{
    DRAINED_ONCE(0);
    DRAINED_ONCE(1);
#if N == 3
    DRAINED_ONCE(2);
#endif
    skip
}

/* --- the chunk becomes the thread's own --- */

inline spell_out()
{
#ifdef PLANT_EARLY
    owner = NOBODY;
#endif
#ifdef PLANT_ONE_WORD
    if
    :: COVERS(places, 0) -> word[0] = uniform
    :: else -> word[1] = uniform
    fi;
#else
    word[0] = uniform;
    word[1] = uniform;
#endif
    owner = NOBODY
}

inline take() /* until it is, and was entered */
{
    do
    :: announce(1);
        if
        :: owner == MINE(t) -> break
        :: else -> announce(0)
        fi;
        was = owner;
        if
        :: was == MOVING -> owner != MOVING
        :: was == NOBODY -> swap_owner(NOBODY, MINE(t))
        :: was == UNIFORM ->
            swap_owner(UNIFORM, MOVING);
            if
            :: swapped -> spell_out()
            :: else
            fi
        :: was == MINE(t)
        :: else ->
            swap_owner(was, MOVING);
            if
            :: swapped -> membarrier(); !busy[was - 1]; owner = MINE(t)
            :: else
            fi
        fi
    od;
    atomic { swapped = false; was = 0 }
}

/* --- accesses --- */

inline change(x) /* the word, in the thread's own chunk */
{
    if
    :: COVERS(places, x) ->
        d_step { old = LOAD_WORD(x); rule() };
        if
        :: new != old -> store_word(x, new); atomic { tell_hits(1 << x) }
        :: else
        fi;
        atomic { old = 0; new = 0; hit = false }
    :: else
    fi
}

#ifndef PLANT_FIRST_WORD
#define ALIKE_NOW (first == new && !hit && !first_hit)
#else
#define ALIKE_NOW (!hit && !first_hit)
#endif

inline make_uniform() /* finished: the access is made */
{
    d_step {
        old = LOAD_WORD(0);
        rule();
        first = new;
        first_hit = hit;
        old = LOAD_WORD(1);
        rule();
        old = 0
    };
    if
    :: ALIKE_NOW ->
        uniform = first;
#ifdef PLANT_STORE
        atomic { DRAINED -> owner = UNIFORM; finished = true }
#else
        swap_owner(MINE(t), UNIFORM);
        finished = swapped
#endif
    :: else
    fi;
    atomic { first = 0; first_hit = false; new = 0; hit = false; swapped = false }
}

#define SAYS_NOW(state) (W_OF(state) == NOW(t) || (!writes && READS(state) == NOW_READ(t)))

inline step_locked()
{
#ifndef PLANT_NO_LOCK
    swap_owner(UNIFORM, MOVING);
    if
    :: swapped ->
#endif
        d_step { old = uniform; rule() };
#ifdef PLANT_SILENT
        hit = false;
#endif
        if
        :: !hit ->
            uniform = new;
            finished = true;
#ifndef PLANT_NO_LOCK
            owner = UNIFORM
        :: else -> spell_out()
#else
        :: else
#endif
        fi;
        atomic { old = 0; new = 0; hit = false }
#ifndef PLANT_NO_LOCK
    :: else
    fi;
    swapped = false
#endif
}

inline step_uniform() /* finished: it is made */
{
    if
    :: SAYS_NOW(uniform) -> finished = true
    :: else -> step_locked()
    fi
}

inline access()
{
    if
    :: places == 3 ->
        do
        :: owner == MOVING -> owner != MOVING
        :: owner == UNIFORM && !finished -> step_uniform()
        :: finished || (owner != MOVING && owner != UNIFORM) -> break
        od
    :: else
    fi;
    if
    :: finished
    :: else ->
        take();
        if
        :: places == 3 -> make_uniform()
        :: else
        fi;
        if
        :: finished
        :: else -> change(0); change(1)
        fi;
        announce(0)
    fi;
    finished = false
}

/* --- a thread --- */

#define IS_SAME(x) (!COVERS(places, x) || SAYS_NOW(LOAD_WORD(x)))

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    byte was;
    short first;
    bool swapped, finished, first_hit;
    do
    :: left == 0 -> break
    :: CAN_RELEASE -> release()
    :: CAN_ACQUIRE -> acquire()
    :: left > 0 ->
        atomic { choose_access(true) };
        if
        :: again && IS_SAME(0) && IS_SAME(1)
        :: else -> access()
        fi;
        atomic { places = 0; writes = false; again = false }
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
