/* Uniform blocks (src/shadow/uniform.h): a block of two words, every interleaving of two or three
 * threads that read and write one word or the block.
 *
 *   the block    uniform: one step on its state, by compare-and-swap; if that races, the block is broken up, and each word
 *                stepped on. Not uniform: if both words are in one state that is ordered before, the access makes it so. The
 *                block becomes BUSY by compare-and-swap, then each word UNIFORM; then the block has the state after the
 *                access. If a word has changed meanwhile, those that are done get that state, and each word is stepped on
 *   one word     a step, by compare-and-swap. If it is UNIFORM, the block is broken up first: it becomes BUSY by
 *                compare-and-swap, the words get its state, and it is no longer uniform
 *   BUSY         whoever finds it waits
 *
 * Here empty words may become uniform, too, and a state has all readers. Two neighbours that change by one compare-and-swap
 * are one word. Memory is sequentially consistent, as in bytes.pml: words and blocks that others may change are changed by
 * locked instructions; plain stores are by who made the block BUSY, and in order.
 *
 * Properties: those of judge.pml, for each word.
 *
 * Planted faults, each of which must be found: PLANT_BREAK_STORE (a block that is broken up becomes BUSY by a store),
 * PLANT_STEP_STORE (a step on a block is a store), PLANT_MAKE_STORE (words become UNIFORM by stores), PLANT_EARLY (a block has
 * its state before its words are UNIFORM), PLANT_SILENT (a step on a block that races says nothing), PLANT_FIRST_WORD (a block
 * becomes uniform with the state of its first word), PLANT_OLD (a block that was made uniform has the state before the access).
 */
#define DRAINED true
#include "judge.pml"

#define UNIFORM STATES       /* of a word */
#define NONE    (STATES + 1) /* of the block */
#define BUSY    (STATES + 2)

short word[2], block = NONE;

inline break_up()
{
    seen = block;
    if
    :: seen == BUSY -> block != BUSY
    :: seen == NONE
    :: seen < STATES ->
        atomic {
#ifdef PLANT_BREAK_STORE
            swapped = true;
#else
            swapped = (block == seen);
#endif
            if
            :: swapped -> block = BUSY
            :: else
            fi
        };
        if
        :: swapped ->
            word[0] = seen;
            word[1] = seen;
            block = NONE
        :: else
        fi;
        swapped = false
    fi;
    seen = 0
}

/* An access to word x. */
inline word_step(x)
{
    finished = false;
    do
    :: finished -> break
    :: else ->
        old = word[x];
        if
        :: old == UNIFORM -> break_up()
        :: else ->
            d_step { rule() };
            atomic {
                if
                :: new == old -> finished = true; hit = false
                :: new != old && word[x] == old -> word[x] = new; finished = true; tell_hits(1 << x)
                :: new != old && word[x] != old -> hit = false
                fi
            }
        fi;
        atomic { old = 0; new = 0; hit = false }
    od;
    finished = false
}

/* Word x: old -> UNIFORM. */
inline make_word(x)
{
    atomic {
#ifdef PLANT_MAKE_STORE
        swapped = true;
#else
#ifdef PLANT_FIRST_WORD
        swapped = (word[x] == old || x == 1);
#else
        swapped = (word[x] == old);
#endif
#endif
        if
        :: swapped -> word[x] = UNIFORM
        :: else
        fi
    }
}

/* The block is BUSY, and its words were `old`. */
inline make_words()
{
#ifdef PLANT_EARLY
    block = new;
#endif
    make_word(0);
    if
    :: swapped ->
        make_word(1);
        if
        :: swapped ->
#ifdef PLANT_OLD
            block = old;
#else
#ifndef PLANT_EARLY
            block = new;
#endif
#endif
            finished = true
        :: else ->
            word[0] = new;
            block = NONE
        fi
    :: else -> block = NONE
    fi;
    swapped = false
}

inline make()
{
    old = word[0];
    if
#ifdef PLANT_FIRST_WORD
    :: old != UNIFORM ->
#else
    :: old != UNIFORM && word[1] == old ->
#endif
        d_step { rule(); hit = hit || ANY_UNORDERED_READ || new == old };
        if
        :: !hit ->
            atomic {
                swapped = (block == NONE);
                if
                :: swapped -> block = BUSY
                :: else
                fi
            };
            if
            :: swapped -> make_words()
            :: else
            fi
        :: else -> hit = false
        fi
    :: else
    fi;
    atomic { old = 0; new = 0; hit = false }
}

/* An access to the block. finished: it is made. */
inline block_step()
{
    old = block;
    if
    :: old == BUSY -> block != BUSY
    :: old == NONE -> make(); tried = true
    :: old < STATES ->
        d_step { rule() };
#ifdef PLANT_SILENT
        hit = false;
#endif
        if
        :: hit -> hit = false; break_up(); tried = true
        :: else ->
            atomic {
                if
#ifdef PLANT_STEP_STORE
                :: true -> block = new; finished = true
#else
                :: block == old -> block = new; finished = true
                :: else
#endif
                fi
            }
        fi
    fi;
    atomic { old = 0; new = 0; hit = false }
}

inline access()
{
    do
    :: finished || tried || places != 3 -> break
    :: else -> block_step()
    od;
    tried = false;
    if
    :: finished
    :: else ->
        if
        :: COVERS(places, 0) -> word_step(0)
        :: else
        fi;
        if
        :: COVERS(places, 1) -> word_step(1)
        :: else
        fi
    fi;
    finished = false
}

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    short seen;
    bool swapped, finished, tried;
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
    atomic { done == N -> judge_at_the_end() }
}
