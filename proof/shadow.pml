/* The protocol of the live shadow (docs/shadow.md): two or three threads, one word of two bytes, every interleaving.
 *
 * A thread makes a few steps, each any of: read or write one byte or both; release into, or acquire from, a sync
 * object. Modelled statement by statement, as src/shadow and src/runtime/abi_access.c do it:
 *
 *   the same-epoch test            two loads of halves of the word, no store
 *   the word, shared chunk         load, compare-and-swap, again if that fails
 *   the word, own chunk            announced in `busy`, plain load and store (shadow/owner.h)
 *   a chunk of another thread      MOVING, membarrier, wait for busy, then SHARED or mine
 *   expansion                      take a record, lock it, fill it, compare-and-swap the word; or give it back
 *   a record                       lock, look whether the word still names it, change cells
 *   fold                           compare-and-swap the word, give the record back, unlock: the next expansion takes it
 *
 * and with PAGES=1 (shadow/byte_page.h)
 *
 *   bytes, own chunk               announced; the word's state stored into both cells, PAGED into the word; or those of a record,
 *                                  under its lock; then plain loads and stores of cells, and the word stored: what both say, or
 *                                  that both were accessed in this epoch
 *   PAGED, shared chunk            expansion: the record is filled from the cells, one after the other
 *   the same-epoch test, PAGED     the word; then each cell, and the word again
 *
 * Memory is x86-64's: the stores of the own-chunk path and of busy wait in a first-in first-out buffer of their
 * thread until its Buffer process writes them, in order; a thread sees its own; locked instructions (and with them
 * locks and synchronization) wait until it is empty. membarrier waits, for each other thread, for a moment at which
 * its buffer is empty. Other stores are only read under a lock, or stored by locked instructions: they need none.
 *
 * Abstracted: a read set is the vector of its readers' clocks (sets are immutable values); the FastTrack2 rule is one
 * step between load and store (it is a pure function); cells have no atomic parts; memory is not cleared. Clocks,
 * mailboxes and the record pool have locks of their own, so that their operations are one step.
 *
 * Properties: those of judge.pml, for each byte, and
 *
 *   no lost record  when all threads are done, the pool holds every record but the word's       (assertion)
 *
 * Planted faults, each of which must be found: PLANT_NO_RECHECK (a record is believed without looking at the word
 * again), PLANT_NO_MEMBARRIER, PLANT_NO_BUSY (the owner does not announce itself), PLANT_STORE (the word is stored, not
 * compared and swapped), PLANT_EARLY_GIVE (a fold gives the record back before the word lets go of it), PLANT_NO_RESET
 * (a record keeps its old cells when it is used again). With pages also: PLANT_SHARED_CELLS (cells change in a shared chunk),
 * PLANT_FOLD (a word is plain again though its cells differ), PLANT_SUM (a word says that all bytes were accessed when one was),
 * PLANT_HALF (a record gets the first cell's state for both bytes), PLANT_NO_FILL (a word becomes PAGED with its old cells).
 */
#define DRAINED (empty(buffer[t]))
#include "judge.pml"

#define RECORDS N /* a thread holds at most one that no word names */
#ifndef OWNING
#define OWNING 1 /* 0: every chunk is shared from the start */
#endif

/* --- words: a cell's state, or EXPANDED and the number of a record --- */

#define EXPANDED       STATES
#define RECORD_OF(w)   ((w) & 15)
#ifndef PAGES
#define PAGES 0
#endif
#define PAGED(now)     (EXPANDED | 16 | (now) << 5) /* in which epoch both bytes were accessed; 0: it says nothing of that */
#define IS_PAGED(w)    ((w) >= EXPANDED && ((w) & 16))
#define IS_RECORD(w)   ((w) >= EXPANDED && !((w) & 16))
#define SUM_OF(w)      ((w) >> 5 & 15)

#define NOBODY 0
#define MINE(t) ((t) + 1)
#define MOVING 14
#define SHARED 15

short word;
byte owner = (OWNING -> NOBODY : SHARED);
bool busy[N];
bool locked[RECORDS];
short cell[RECORDS * 2];
bool pooled[RECORDS];
short page[2];

/* --- store buffers --- */

#define TO_BUSY 0
#define TO_WORD 1
#define TO_CELL 2 /* and 3 */
chan buffer[N] = [4] of { byte, short };
byte words_buffered[N]; /* stores to the word among them, and the last one's value */
short word_buffered[N];
byte cells_buffered[N * 2]; /* the same for cells of the page */
short cell_buffered[N * 2];

#define STORE_WORD(v)                                                                                         \
    words_buffered[t]++; word_buffered[t] = v; buffer[t]!TO_WORD, v
#define LOAD_WORD (words_buffered[t] > 0 -> word_buffered[t] : word)
#define STORE_CELL(b, v)                                                                                      \
    cells_buffered[2 * t + b]++; cell_buffered[2 * t + b] = v; buffer[t]!TO_CELL + b, v
#define LOAD_CELL(b) (cells_buffered[2 * t + b] > 0 -> cell_buffered[2 * t + b] : page[b])

proctype Buffer(byte t)
{
    byte what;
    short value;
end:
    do
    :: atomic {
           buffer[t]?what, value ->
           if
           :: what == TO_BUSY -> busy[t] = value
           :: what >= TO_CELL ->
               what = what - TO_CELL;
               page[what] = value;
               cells_buffered[2 * t + what]--;
               if
               :: cells_buffered[2 * t + what] == 0 -> cell_buffered[2 * t + what] = 0
               :: else
               fi
           :: what == TO_WORD ->
               word = value;
               words_buffered[t]--;
               if
               :: words_buffered[t] == 0 -> word_buffered[t] = 0
               :: else
               fi
           fi;
           what = 0;
           value = 0
       }
    od
}

/* --- chunks --- */

inline owner_enter() /* own: whether it is the thread's */
{
#ifndef PLANT_NO_BUSY
    buffer[t]!TO_BUSY, 1;
#endif
    if
    :: owner == MINE(t) -> own = true
    :: else ->
#ifndef PLANT_NO_BUSY
        buffer[t]!TO_BUSY, 0
#else
        skip
#endif
    fi
}

inline wait_for(who) /* membarrier, then the owner's busy */
{
#ifndef PLANT_NO_MEMBARRIER
    if
    :: t != 0 -> empty(buffer[0])
    :: else
    fi;
    if
    :: t != 1 -> empty(buffer[1])
    :: else
    fi;
#if N == 3
    if
    :: t != 2 -> empty(buffer[2])
    :: else
    fi;
#endif
#endif
    !busy[who - 1]
}

inline owner_begin() /* a chunk that was another's is taken over or shared: which, is a matter of time */
{
#if OWNING
    owner_enter();
    do
    :: own -> break
    :: else ->
        atomic {
            DRAINED;
            was = owner;
            if
            :: owner == NOBODY -> owner = MINE(t)
            :: owner != NOBODY && owner != MOVING && owner != SHARED -> owner = MOVING
            :: else
            fi
        };
        if
        :: was == SHARED -> break
        :: was == MOVING -> owner != MOVING
        :: was == NOBODY
        :: else -> wait_for(was);
            if
            :: owner = SHARED; break
            :: owner = MINE(t)
            fi
        fi;
        owner_enter()
    od;
    was = 0
#else
    skip
#endif
}

inline owner_end()
{
#if OWNING
    if
    :: own ->
#ifndef PLANT_NO_BUSY
        buffer[t]!TO_BUSY, 0;
#endif
        own = false
    :: else
    fi
#else
    skip
#endif
}

/* --- a whole word --- */

inline whole_word() /* expanded: true when there is a record to be used instead */
{
    owner_begin();
    d_step { old = LOAD_WORD; rule() };
    do
    :: old >= EXPANDED || new == old -> break
    :: old < EXPANDED && new != old && own -> atomic { nfull(buffer[t]) -> STORE_WORD(new); tell_hits(3) }; break
    :: old < EXPANDED && new != old && !own ->
        atomic {
            DRAINED ->
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
    atomic { expanded = (old >= EXPANDED); old = 0; new = 0; hit = false };
    owner_end()
}

/* --- records --- */

inline lock(i)
{
    atomic { DRAINED && !locked[i] -> locked[i] = true }
}

inline record_lock() /* r */
{
    do
    :: d_step { old = LOAD_WORD; r = (IS_RECORD(old) -> RECORD_OF(old) : 0) };
        if
        :: IS_RECORD(old) ->
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
                DRAINED && !locked[r] -> locked[r] = true
#ifndef PLANT_NO_RESET
                ; cell[2 * r] = old; cell[2 * r + 1] = old /* nobody else looks at them */
#endif
            };
#if PAGES
            if
            :: IS_PAGED(old) ->
                cell[2 * r] = page[0];
#ifndef PLANT_HALF
                cell[2 * r + 1] = page[1]
#else
                cell[2 * r + 1] = page[0]
#endif
            :: else
            fi;
#endif
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

/* --- pages --- */

#define KNOWN(s) (W_OF(s) == NOW(t) || (!writes && READS(s) == NOW_READ(t)))

inline page_cell(b)
{
    if
    :: COVERS(places, b) ->
        d_step { old = LOAD_CELL(b); rule() };
        atomic { nfull(buffer[t]) -> STORE_CELL(b, new); tell_hits(1 << b); old = 0; new = 0 }
    :: else
    fi
}

#ifdef PLANT_FOLD
#define ALIKE_CELLS true
#else
#define ALIKE_CELLS (LOAD_CELL(0) == LOAD_CELL(1))
#endif
#ifdef PLANT_SUM
#define ALL_KNOWN true
#else
#define ALL_KNOWN (KNOWN(LOAD_CELL(0)) && KNOWN(LOAD_CELL(1)))
#endif

/* The word is plain, or PAGED, and the chunk is the thread's. */
inline page_bytes()
{
    if
    :: LOAD_WORD < EXPANDED ->
#ifndef PLANT_NO_FILL
        atomic { nfull(buffer[t]) -> STORE_CELL(0, LOAD_WORD) };
        atomic { nfull(buffer[t]) -> STORE_CELL(1, LOAD_WORD) };
#endif
        atomic { nfull(buffer[t]) -> STORE_WORD(PAGED(0)) }
    :: else
    fi;
    page_cell(0);
    page_cell(1);
    if
    :: writes && (places == 3) && ALIKE_CELLS -> atomic { nfull(buffer[t]) -> STORE_WORD(LOAD_CELL(0)) }
    :: !writes && ALL_KNOWN -> atomic { nfull(buffer[t]) -> STORE_WORD(PAGED(NOW(t))) }
    :: else
    fi
}

/* What the record says goes into the cells: it is locked, and the chunk is the thread's. */
inline record_to_page()
{
    atomic { nfull(buffer[t]) -> STORE_CELL(0, cell[2 * r]) };
    atomic { nfull(buffer[t]) -> STORE_CELL(1, cell[2 * r + 1]) };
    atomic {
        DRAINED ->
        if
        :: word == (EXPANDED | r) -> word = PAGED(0)
        :: else
        fi
    };
    locked[r] = false;
    pooled[r] = true;
    r = 0
}

inline known_bytes() /* new: the word was PAGED, and its cells say so all the time */
{
    d_step { old = LOAD_WORD; new = (IS_PAGED(old) && !writes && SUM_OF(old) == NOW(t)) };
    if
    :: IS_PAGED(old) && !new ->
        new = !COVERS(places, 0) || KNOWN(LOAD_CELL(0));
        new = new && (!COVERS(places, 1) || KNOWN(LOAD_CELL(1)));
        new = new && IS_PAGED(LOAD_WORD)
    :: else
    fi;
    old = 0
}

inline bytes_in_record()
{
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
#if PAGES
    if
    :: own && cell[2 * r] != cell[2 * r + 1] -> record_to_page()
    :: true -> record_unlock()
    fi
#else
    record_unlock()
#endif
}

#ifdef PLANT_SHARED_CELLS
#define IN_PAGE (IS_PAGED(LOAD_WORD) || (own && LOAD_WORD < EXPANDED))
#else
#define IN_PAGE (own && !IS_RECORD(LOAD_WORD))
#endif

inline recorded_bytes()
{
    if
    :: again -> d_step {
            old = LOAD_WORD;
            new = (old < EXPANDED && (W_OF(old) == NOW(t) || (!writes && READS(old) == NOW_READ(t))));
            old = 0
        }
    :: else
    fi;
#if PAGES
    if
    :: again && !new -> known_bytes()
    :: else
    fi;
#endif
    if
    :: new
    :: else ->
        owner_begin();
#if PAGES
        if
        :: IN_PAGE -> page_bytes()
        :: !IN_PAGE || LOAD_WORD < EXPANDED -> bytes_in_record() /* few words were expanded so far */
        fi;
#else
        bytes_in_record();
#endif
        owner_end()
    fi
}

/* --- a thread --- */

inline same_epoch() /* new: whether it is; two loads, since the halves are looked at one after the other */
{
    d_step {
        old = LOAD_WORD;
        new = (old < EXPANDED && (writes -> W_OF(old) == NOW(t) : READS(old) == NOW_READ(t)));
        old = 0
    };
    if
    :: !new && !writes -> d_step { old = LOAD_WORD; new = (old < EXPANDED && W_OF(old) == NOW(t)); old = 0 }
    :: else
    fi
}

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    byte r, was;
    bool own, expanded;
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
    atomic { DRAINED -> done++ }
}

init
{
    atomic {
        byte i;
        for (i : 0 .. N - 1) {
            CLOCK(i, i) = 1;
#if OWNING
            run Buffer(i);
#endif
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
