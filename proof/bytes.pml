/* Byte cells (src/shadow/bytes.h): a word of two bytes, every interleaving of two or three
 * threads that read and write one byte or both.
 *
 *   one byte     of a plain word: the word becomes BUSY by compare-and-swap, its cells are filled, it becomes PAGED; then as
 *                below. Of a PAGED word: its step on the cell, by compare-and-swap; if that fails, or the cell is CLOSED, the
 *                word is looked at again
 *   both bytes   of a plain word: one step, by compare-and-swap. Of a PAGED word: a step on each cell; or, of a write, as free()
 *                does and whoever makes a record: the word becomes BUSY, each cell CLOSED by an exchange, compared with what it
 *                said last, and the word is the write
 *   fold         of a PAGED word whose cells were alike a moment ago: BUSY, both CLOSED; if they are alike still, the word says
 *                it itself, otherwise they are opened again, and it is PAGED
 *   BUSY         whoever finds it waits
 *
 * Memory is sequentially consistent here, which is as good as x86-64's: words and cells that others may change are changed by
 * locked instructions; the plain stores into cells and words are by who made the word BUSY, and in order.
 *
 * Properties: those of judge.pml, for each byte.
 *
 * Planted faults, each of which must be found: PLANT_EARLY (a word is PAGED before its cells are filled), PLANT_NO_CLOSE (who
 * folds a word leaves its cells open), PLANT_STORE (a cell is stored, not compared and swapped), PLANT_NO_SWAP (a word
 * becomes BUSY by a store), PLANT_FOLD (cells that are closed are not looked at once more), PLANT_NO_WAIT (who finds BUSY takes it for PAGED), PLANT_HALF (a word that is folded is compared
 * with its first cell only).
 */
#define DRAINED true
#include "judge.pml"

#define PAGED  STATES
#define BUSY   (STATES + 1)
#define CLOSED (STATES + 2)

short word = 0, cell[2];

#ifdef PLANT_NO_WAIT
#define IS_PAGED(w) ((w) >= PAGED)
#else
#define IS_PAGED(w) ((w) == PAGED)
#endif

inline materialize() /* the word was `seen` */
{
    atomic {
#ifdef PLANT_NO_SWAP
        swapped = true;
#else
        swapped = (word == seen);
#endif
        if
        :: swapped -> word = BUSY
        :: else
        fi
    };
    if
    :: swapped ->
#ifdef PLANT_EARLY
        word = PAGED;
#endif
        cell[0] = seen;
        cell[1] = seen;
#ifndef PLANT_EARLY
        word = PAGED;
#endif
    :: else
    fi;
    swapped = false
}

/* A step on cell x. finished: it is made. */
inline cell_step()
{
    old = cell[x];
    if
    :: old == CLOSED -> finished = false
    :: else ->
        d_step { rule() };
        atomic {
            if
#ifdef PLANT_STORE
            :: new != old -> cell[x] = new; finished = true; tell_hits(1 << x)
#else
            :: new != old && cell[x] == old -> cell[x] = new; finished = true; tell_hits(1 << x)
            :: new != old && cell[x] != old -> finished = false; hit = false
#endif
            :: new == old -> finished = true; hit = false
            fi
        }
    fi;
    atomic { old = 0; new = 0; hit = false }
}

inline close_and_compare(b)
{
    atomic {
        old = cell[b];
#ifndef PLANT_NO_CLOSE
        cell[b] = CLOSED;
#endif
    };
#ifdef PLANT_HALF
    if
    :: b == 0 ->
#endif
    d_step { rule(); tell_hits(1 << b) };
#ifdef PLANT_HALF
    :: else
    fi;
#endif
    atomic { old = 0; new = 0; hit = false }
}

inline fold_write()
{
    atomic {
        swapped = (word == PAGED);
        if
        :: swapped -> word = BUSY
        :: else
        fi
    };
    if
    :: swapped ->
        close_and_compare(0);
        close_and_compare(1);
        word = NOW(t)
    :: else
    fi;
    finished = swapped;
    swapped = false
}

/* A step on the plain word, which was `seen`. finished: it is made, or there is none to make. */
inline word_step()
{
    old = seen;
    d_step { rule() };
    atomic {
        if
        :: new == old -> finished = true; hit = false
        :: new != old && places != 3 -> hit = false /* the byte by itself */
        :: new != old && places == 3 && word == old -> word = new; finished = true; tell_hits(3)
        :: new != old && places == 3 && word != old -> hit = false
        fi
    };
    atomic { old = 0; new = 0; hit = false }
}

inline close_cell(b)
{
    atomic { cell_was[b] = cell[b]; cell[b] = CLOSED }
}

inline fold()
{
    atomic {
        swapped = (word == PAGED && cell[0] == cell[1]);
        if
        :: swapped -> word = BUSY
        :: else
        fi
    };
    if
    :: swapped ->
        close_cell(0);
        close_cell(1);
        if
#ifdef PLANT_FOLD
        :: true -> word = cell_was[0]
#else
        :: cell_was[0] == cell_was[1] -> word = cell_was[0]
        :: else ->
            cell[0] = cell_was[0];
            cell[1] = cell_was[1];
            word = PAGED
#endif
        fi
    :: else
    fi;
    atomic { swapped = false; cell_was[0] = 0; cell_was[1] = 0 }
}

/* A read of both bytes of a PAGED word, or an access to one. */
inline cells_step()
{
    finished = true;
    if
    :: COVERS(places, 0) -> x = 0; cell_step()
    :: else
    fi;
    if
    :: finished && COVERS(places, 1) -> x = 1; cell_step()
    :: else
    fi;
    x = 0
}

inline access()
{
    do
    :: finished -> break
    :: else ->
        seen = word;
        if
        :: IS_PAGED(seen) && writes && places == 3 -> fold_write()
        :: IS_PAGED(seen) -> cells_step()
        :: IS_PAGED(seen) && word == PAGED && cell[0] == cell[1] && !folded -> folded = true; fold()
#ifndef PLANT_NO_WAIT
        :: seen == BUSY -> word != BUSY
#endif
        :: seen < PAGED ->
            word_step();
            if
            :: !finished && places != 3 -> materialize()
            :: else
            fi
        fi
    od;
    atomic { finished = false; folded = false; seen = 0 }
}

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    short seen;
    byte x;
    bool swapped, finished, folded;
    short cell_was[2];
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
