/* Reads of bytes without the lock of their record (src/shadow/byte_glance.h): every interleaving of two or three threads
 * that access two bytes, of one record or (RECORDS=2) of two, whose readers are in a table or in the bytes' cells.
 *
 *   without the lock        seq, even; the table; its own row, not empty; what the cells say of writes: ordered; the row
 *                           with this epoch, by compare-and-swap; seq again: the same? done : with the lock
 *   with the lock           seq := odd, by a locked instruction; the rule, with the cell's readers and the table's; a read
 *                           fills the thread's own row, or the cell if there is no table; a write empties the bytes'
 *                           columns, row by row, by compare-and-swap, and gives the table back if nothing is left in it;
 *                           seq := even
 *   now and then            with the lock: a table is taken; what is ordered is dropped from it; all of it is gathered
 *                           in the cells, and it is given back: first the record lets go of it, then its rows are emptied
 *
 * START: all threads have read all bytes of the first record, in an earlier epoch that is ordered before all others'; they
 * are in its table.
 *
 * Memory is x86-64's, as in shadow.pml: what is stored with the lock, and seq, wait in a buffer of their thread. Rows are
 * loaded byte by byte: loads of 16 bytes may be torn.
 *
 * Properties: those of judge.pml, for each byte, and that no table is lost from the pool.
 *
 * Planted faults, each of which must be found: PLANT_NO_SECOND_LOOK (seq is not looked at again), PLANT_NO_FIRST_LOOK (nor
 * whether it is odd), PLANT_STORE (the row is stored, not compared and swapped), PLANT_NO_CHECK (nobody looks at the
 * cells' writes), PLANT_EMPTY (an empty row is filled, too), PLANT_FULL (a table is given back as it is).
 */
#define DRAINED (empty(buffer[t]))
#include "judge.pml"

#ifndef RECORDS
#define RECORDS 1
#endif
#define TABLES 1

#define RECORD(b) ((b) * (RECORDS - 1))
#define COLUMN(b) ((b) * (2 - RECORDS))

/* --- memory, and store buffers --- */

#define SEQ(r)       (r)
#define TABLE(r)     (2 + (r))
#define CELL(b)      (4 + (b))
#define ROW(x, u, c) (6 + (((x) - 1) * N + (u)) * 2 + (c))
#define PLACES       (6 + TABLES * N * 2)

short memory[PLACES];
bool in_use[TABLES + 1];
chan buffer[N] = [6] of { byte, short };
byte waiting[N * PLACES]; /* stores in the buffer, and the last one's value */
short last_stored[N * PLACES];

#define LOAD(at) (waiting[t * PLACES + (at)] > 0 -> last_stored[t * PLACES + (at)] : memory[at])

proctype Buffer(byte t)
{
    byte at;
    short value;
end:
    do
    :: atomic {
           buffer[t]?at, value ->
           memory[at] = value;
           waiting[t * PLACES + at]--;
           if
           :: waiting[t * PLACES + at] == 0 -> last_stored[t * PLACES + at] = 0
           :: else
           fi;
           at = 0;
           value = 0
       }
    od
}

#define STORE(to, what)                                                                                       \
    atomic {                                                                                                  \
        nfull(buffer[t]) ->                                                                                   \
        buffer[t]!to, what;                                                                                   \
        last_stored[t * PLACES + to] = what;                                                                  \
        waiting[t * PLACES + to]++                                                                            \
    }

/* --- the lock --- */

inline lock(r)
{
    atomic { DRAINED && (memory[SEQ(r)] & 1) == 0 -> memory[SEQ(r)] = memory[SEQ(r)] | 1 }
}

inline unlock(r)
{
    STORE(SEQ(r), LOAD(SEQ(r)) + 1)
}

/* --- tables, with the lock --- */

/* Empties columns (a mask) of the thread's row. */
inline forget_in_row(x, u, columns)
{
    do
    :: d_step { seen0 = LOAD(ROW(x, u, 0)); seen1 = LOAD(ROW(x, u, 1)) };
        atomic {
            if
            :: (!COVERS(columns, 0) || seen0 == 0) && (!COVERS(columns, 1) || seen1 == 0) -> break
            :: else -> DRAINED ->
                if
                :: memory[ROW(x, u, 0)] == seen0 && memory[ROW(x, u, 1)] == seen1 ->
                    memory[ROW(x, u, 0)] = (COVERS(columns, 0) -> 0 : seen0);
                    memory[ROW(x, u, 1)] = (COVERS(columns, 1) -> 0 : seen1);
                    break
                :: else
                fi
            fi
        }
    od;
    atomic { seen0 = 0; seen1 = 0 }
}

inline forget(x, columns)
{
    u = 0;
    do
    :: u < N -> forget_in_row(x, u, columns); u++
    :: else -> break
    od;
    u = 0
}

inline give_back(r, x)
{
    STORE(TABLE(r), 0);
#ifndef PLANT_FULL
    forget(x, 3);
#endif
    atomic { DRAINED -> in_use[x] = false }
}

#if N == 3
#define NOTHING_LEFT(x) (LOAD(ROW(x, 0, 0)) + LOAD(ROW(x, 0, 1)) + LOAD(ROW(x, 1, 0)) + LOAD(ROW(x, 1, 1)) +    \
                         LOAD(ROW(x, 2, 0)) + LOAD(ROW(x, 2, 1)) == 0)
#define JOINED(x, c)    (LOAD(ROW(x, 0, c)) << 4 | LOAD(ROW(x, 1, c)) << 6 | LOAD(ROW(x, 2, c)) << 8)
#else
#define NOTHING_LEFT(x) (LOAD(ROW(x, 0, 0)) + LOAD(ROW(x, 0, 1)) + LOAD(ROW(x, 1, 0)) + LOAD(ROW(x, 1, 1)) == 0)
#define JOINED(x, c)    (LOAD(ROW(x, 0, c)) << 4 | LOAD(ROW(x, 1, c)) << 6)
#endif

/* Who has read, by the cell (as one state) or by the table (as another): the later epoch of each thread. */
#define LATER(a, b, u) (R_OF(a, u) > R_OF(b, u) -> R_OF(a, u) << (4 + 2 * (u)) : R_OF(b, u) << (4 + 2 * (u)))
#if N == 3
#define BOTH(a, b) (LATER(a, b, 0) | LATER(a, b, 1) | LATER(a, b, 2))
#else
#define BOTH(a, b) (LATER(a, b, 0) | LATER(a, b, 1))
#endif

inline gather(r, x, b)
{
    if
    :: RECORD(b) == r ->
        d_step { old = LOAD(CELL(b)); new = JOINED(x, COLUMN(b)); old = BOTH(old, new) | W_OF(old); new = 0 };
        STORE(CELL(b), old);
        old = 0
    :: else
    fi
}

/* Of the other threads' reads in this column. */
inline drop_ordered(x, c)
{
    u = 0;
    do
    :: u < N ->
        if
        :: u != t && LOAD(ROW(x, u, c)) != 0 && LOAD(ROW(x, u, c)) <= CLOCK(t, u) -> forget_in_row(x, u, 1 << c)
        :: else
        fi;
        u++
    :: else -> break
    od;
    u = 0
}

/* --- an access of byte b with the lock of its record --- */

#define IN_TABLE(x, c) ((x) == 0 -> 0 : JOINED(x, c))

inline write_locked(r, b)
{
    d_step {
        new = IN_TABLE(table, COLUMN(b));
        old = LOAD(CELL(b));
        old = BOTH(old, new) | W_OF(old);
        rule()
    };
    atomic { tell_hits(1 << b) };
    STORE(CELL(b), NOW(t));
    if
    :: table != 0 ->
        forget(table, 1 << COLUMN(b));
        if
        :: NOTHING_LEFT(table) -> give_back(r, table); table = 0
        :: else
        fi
    :: else
    fi;
    atomic { old = 0; new = 0 }
}

inline read_locked(r, b)
{
    if
    :: table == 0 ->
        atomic {
            if
            :: DRAINED && !in_use[1] -> in_use[1] = true; table = 1
            :: true
            fi
        };
        if
        :: table != 0 -> STORE(TABLE(r), table)
        :: else
        fi
    :: table != 0 -> drop_ordered(table, COLUMN(b))
    :: table != 0
    fi;
    d_step { old = LOAD(CELL(b)); rule() };
    atomic { hit = !BEFORE(W_OF(old), t); tell_hits(1 << b) };
    if
    :: table != 0 -> STORE(ROW(table, t, COLUMN(b)), CLOCK(t, t))
    :: else -> STORE(CELL(b), new)
    fi;
    atomic { old = 0; new = 0 }
}

inline access_locked(b)
{
    if
    :: writes -> write_locked(RECORD(b), b)
    :: else -> read_locked(RECORD(b), b)
    fi
}

/* The bytes of one record. */
inline with_lock(r)
{
    lock(r);
    table = LOAD(TABLE(r));
    if
    :: COVERS(places, 0) && RECORD(0) == r -> access_locked(0)
    :: else
    fi;
    if
    :: COVERS(places, 1) && RECORD(1) == r -> access_locked(1)
    :: else
    fi;
    if
    :: table != 0 -> gather(r, table, 0); gather(r, table, 1); give_back(r, table)
    :: true
    fi;
    table = 0;
    unlock(r)
}

/* --- a read without the lock --- */

#define ORDERED(b) (!COVERS(places, b) || BEFORE(W_OF(LOAD(CELL(b))), t))
#ifdef PLANT_EMPTY
#define IS_EMPTY false
#else
#define IS_EMPTY (seen0 == 0 && seen1 == 0)
#endif
#ifdef PLANT_NO_CHECK
#define MAY_GLANCE (!IS_EMPTY)
#else
#define MAY_GLANCE (!IS_EMPTY && first_ordered && ORDERED(1))
#endif
#define READ_NOW0 ((places & (COLUMN(1) == 0 -> 3 : 1)) != 0 -> CLOCK(t, t) : seen0)
#define READ_NOW1 (COLUMN(1) == 1 && COVERS(places, 1) -> CLOCK(t, t) : seen1)

inline swap_row()
{
    atomic {
        DRAINED ->
#ifndef PLANT_STORE
        if
        :: memory[ROW(table, t, 0)] == seen0 && memory[ROW(table, t, 1)] == seen1 ->
#endif
            memory[ROW(table, t, 0)] = READ_NOW0;
            memory[ROW(table, t, 1)] = READ_NOW1;
            finished = true
#ifndef PLANT_STORE
        :: else
        fi
#endif
    }
}

inline glance(r)
{
    seq = LOAD(SEQ(r));
#ifndef PLANT_NO_FIRST_LOOK
    if
    :: (seq & 1) == 0 ->
#endif
        table = LOAD(TABLE(r));
        if
        :: table != 0 ->
            seen0 = LOAD(ROW(table, t, 0));
            seen1 = LOAD(ROW(table, t, 1));
            if
            :: seen0 == READ_NOW0 && seen1 == READ_NOW1 -> finished = true
            :: else ->
                first_ordered = ORDERED(0);
                if
                :: MAY_GLANCE -> swap_row()
                :: else
                fi;
                first_ordered = false
            fi;
            atomic { seen0 = 0; seen1 = 0 };
#ifndef PLANT_NO_SECOND_LOOK
            finished = finished && LOAD(SEQ(r)) == seq
#endif
        :: else
        fi;
#ifndef PLANT_NO_FIRST_LOOK
    :: else
    fi;
#endif
    atomic { table = 0; seq = 0 }
}

inline access(r)
{
    if
    :: !writes -> glance(r)
    :: else
    fi;
    if
    :: finished -> finished = false
    :: else -> with_lock(r)
    fi
}

/* --- a thread --- */

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    short seen0, seen1;
    byte table, seq, u;
    bool finished, first_ordered;
    do
    :: left == 0 -> break
    :: CAN_RELEASE -> release()
    :: CAN_ACQUIRE -> acquire()
    :: left > 0 ->
        atomic { choose_access(RECORDS == 1) };
        if
        :: RECORDS == 1 || COVERS(places, 0) -> access(0)
        :: else -> access(1)
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
#ifdef START
            memory[ROW(1, i, 0)] = 1;
            memory[ROW(1, i, 1)] = 2 - RECORDS;
            last_read[i] = 1;
            last_read[N + i] = 2 - RECORDS;
            CLOCK(0, i) = 1;
            CLOCK(1, i) = 1;
#if N == 3
            CLOCK(2, i) = 1;
#endif
#endif
            run Buffer(i);
            run Thread(i)
        }
#ifdef START
        for (i : 0 .. N - 1) {
            CLOCK(i, i) = 2
        }
        in_use[1] = true;
        memory[TABLE(0)] = 1;
#endif
        i = 0
    }
    atomic {
        done == N ->
        judge_at_the_end();
        assert(in_use[1] == (memory[TABLE(0)] == 1 || memory[TABLE(1)] == 1)) /* nothing is lost from the pool */
    }
}
