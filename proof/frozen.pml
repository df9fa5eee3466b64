/* Frozen chunks (src/shadow/frozen.h): one chunk of two words, every interleaving of two or three threads that read and
 * write them.
 *
 *   nobody's chunk          the first thread's, by compare-and-swap
 *   its owner               announced in `busy`, plain load and store
 *   another thread reads    MOVING, membarrier, wait for the owner's busy, FROZEN
 *   a read in it            a page, under the lock of the lists; `busy`; look at the owner; note by a plain store. If
 *                           there was a note already, the last write is not looked at
 *   another access          MOVING, under that lock; membarrier; wait for each reader that has a page; the notes go into
 *                           the words one by one; the pages are given back, under the lock; SHARED, or its own
 *   shared                  compare-and-swap
 *
 * Memory is x86-64's, as in shadow.pml: the stores of busy, of notes and of the owner's words wait in a buffer of their
 * thread. (Who moves a chunk is alone in it: its stores need none.)
 *
 * Abstracted, beyond judge.pml: an owned chunk is not taken over (shadow.pml has that); there are PAGES pages, which may
 * be too few. Where REUSE is defined, a chunk that is shared and in which nobody is may become nobody's at any time, so
 * that it is frozen again and pages get other readers. (In the program that happens with new memory, and to a reader
 * that races with whoever gives the memory back.)
 *
 * Where PARTS is defined, the two are the bytes of one word: a page has notes of each, and of the word, which is what a
 * read of both writes; and who thaws puts the later of the two into each byte. (How a word says that its bytes differ is in
 * shadow.pml.)
 *
 * Properties: those of judge.pml, for each word or byte, and
 *
 *   no lost page    when all threads are done, pages are in the list of a frozen chunk, or free    (assertion)
 *
 * Planted faults, each of which must be found: PLANT_NO_MEMBARRIER, PLANT_NO_BUSY (readers do not announce themselves),
 * PLANT_NO_WAIT (who thaws does not wait for them), PLANT_FIRST_READER (it waits for the first in the list only),
 * PLANT_LOOK_FIRST (a reader looks at the owner, then announces itself), PLANT_ONE_WORD (only the notes of the word that
 * is written go into it), PLANT_EARLY_SHARED and PLANT_EARLY_OWN (the chunk is shared, or its own, before the notes are in its
 * words: another has taken or frozen it meanwhile), PLANT_OLD_NOTES (a
 * page keeps its notes when another gets it). With PARTS: PLANT_NO_BYTES (only the notes of the word go into its bytes),
 * PLANT_AS_WHOLE (a byte's go into both), PLANT_HIDDEN (a byte's note hides that of the word), PLANT_KNOWN (a note of
 * either byte will do for the last write not to be looked at).
 */
#define DRAINED (empty(buffer[t]))
#include "judge.pml"

#ifndef PAGES
#define PAGES N
#endif
#define WORDS 2
#define NONE  PAGES
#ifdef PARTS
#define IN_PARTS true
#define KINDS    3 /* of notes: of each byte, and of the word */
#define KIND     (places == 3 -> 2 : x)
#else
#define IN_PARTS false
#define KINDS    WORDS
#define KIND     x
#endif

#define NOBODY  0
#define MINE(t) ((t) + 1)
#define FROZEN  13
#define MOVING  14
#define SHARED  15

#ifndef START
#define START NOBODY /* or FROZEN: from the start */
#endif

short word[WORDS];
byte owner = START;
bool busy[N];
byte inside_shared; /* threads that have seen the chunk shared, and are in it */

byte reader[PAGES]; /* MINE(t), or 0: the page is free */
byte note[PAGES * KINDS]; /* clocks of its reader */

/* --- store buffers --- */

#define TO_BUSY       0
#define TO_WORD(x)    (1 + (x))
#define TO_NOTE(p, k) (1 + WORDS + (p) * KINDS + (k))
chan buffer[N] = [4] of { byte, short };
byte words_buffered[N * WORDS]; /* stores to the word among them, and the last one's value */
short word_buffered[N * WORDS];

#define LOAD_WORD (words_buffered[t * WORDS + x] > 0 -> word_buffered[t * WORDS + x] : word[x])

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
           :: to > TO_BUSY && to <= WORDS ->
               to = to - 1;
               word[to] = value;
               words_buffered[t * WORDS + to]--;
               if
               :: words_buffered[t * WORDS + to] == 0 -> word_buffered[t * WORDS + to] = 0
               :: else
               fi
           :: else -> note[to - 1 - WORDS] = value
           fi;
           to = 0;
           value = 0
       }
    od
}

/* --- the owner, and whoever wants the chunk --- */

inline announce(on)
{
    buffer[t]!TO_BUSY, on
}

inline enter(state) /* entered: the chunk is in this state and stays so */
{
    announce(1);
    if
    :: owner == state -> entered = true
    :: else -> announce(0)
    fi
}

#define DRAINED_ONCE(u)                                                                                       \
    if                                                                                                        \
    :: t != u -> empty(buffer[u])                                                                             \
    :: else                                                                                                   \
    fi

inline membarrier()
{
#ifndef PLANT_NO_MEMBARRIER
    DRAINED_ONCE(0);
    DRAINED_ONCE(1);
#if N == 3
    DRAINED_ONCE(2);
#endif
#endif
    skip
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

/* --- thawing --- */

#define WAIT_FOR_READER(p)                                                                                    \
    if                                                                                                        \
    :: reader[p] != 0 && reader[p] != MINE(t) -> !busy[reader[p] - 1]                                         \
    :: else                                                                                                   \
    fi

#define LATER(u, c)                                                                                           \
    old = ((c) > R_OF(old, u) -> (old & ~(3 << (4 + 2 * (u)))) | (c) << (4 + 2 * (u)) : old)
#define NOTE(p, k) note[(p) * KINDS + (k)]
#if !defined PARTS
#define LATER_OF_ALL(p, x) LATER(reader[p] - 1, NOTE(p, x))
#elif defined PLANT_NO_BYTES
#define LATER_OF_ALL(p, x) LATER(reader[p] - 1, NOTE(p, 2))
#elif defined PLANT_AS_WHOLE
#define LATER_OF_ALL(p, x)                                                                                    \
    LATER(reader[p] - 1, NOTE(p, 2)); LATER(reader[p] - 1, NOTE(p, 0)); LATER(reader[p] - 1, NOTE(p, 1))
#elif defined PLANT_HIDDEN
#define LATER_OF_ALL(p, x) LATER(reader[p] - 1, (NOTE(p, x) != 0 -> NOTE(p, x) : NOTE(p, 2)))
#else
#define LATER_OF_ALL(p, x) LATER(reader[p] - 1, NOTE(p, 2)); LATER(reader[p] - 1, NOTE(p, x))
#endif
#define GATHER(p, x)                                                                                          \
    if                                                                                                        \
    :: reader[p] != 0 -> LATER_OF_ALL(p, x)                                                                   \
    :: else                                                                                                   \
    fi

inline put_notes_into(x)
{
    atomic {
        old = word[x];
        GATHER(0, x);
#if PAGES > 1
        GATHER(1, x);
#endif
#if PAGES > 2
        GATHER(2, x);
#endif
        word[x] = old;
        old = 0
    }
}

inline give_pages_back()
{
    atomic {
        DRAINED ->
        reader[0] = 0;
#if PAGES > 1
        reader[1] = 0;
#endif
#if PAGES > 2
        reader[2] = 0;
#endif
    }
}

inline thaw()
{
    swap_owner(FROZEN, MOVING);
    if
    :: swapped ->
        membarrier();
#ifndef PLANT_NO_WAIT
        WAIT_FOR_READER(0);
#if PAGES > 1 && !defined PLANT_FIRST_READER
        WAIT_FOR_READER(1);
#endif
#if PAGES > 2 && !defined PLANT_FIRST_READER
        WAIT_FOR_READER(2);
#endif
#endif
#ifdef PLANT_EARLY_SHARED
        owner = SHARED;
#endif
#ifdef PLANT_EARLY_OWN
        owner = MINE(t);
#endif
#ifndef PLANT_ONE_WORD
        put_notes_into(0);
        put_notes_into(1);
#else
        put_notes_into(x);
#endif
        give_pages_back();
        if
        :: owner = SHARED
        :: owner = MINE(t) /* it pays to freeze the chunk again (take_frozen in src/shadow/owner.c) */
        fi
    :: else
    fi
}

/* --- the chunk of an access: own; or shared, and counted --- */

inline begin_changing()
{
    enter(MINE(t));
    do
    :: entered -> own = true; break
    :: else ->
        atomic { was = owner; inside_shared = inside_shared + (was == SHARED) };
        if
        :: was == SHARED -> break
        :: was == MOVING -> owner != MOVING
        :: was == FROZEN -> thaw()
        :: was == NOBODY -> swap_owner(NOBODY, MINE(t))
        :: else ->
            swap_owner(was, MOVING);
            if
            :: swapped -> membarrier(); !busy[was - 1]; owner = SHARED
            :: else
            fi
        fi;
        enter(MINE(t))
    od;
    atomic { entered = false; swapped = false; was = 0 }
}

inline end_changing()
{
    if
    :: own -> announce(0); own = false
    :: else -> inside_shared--
    fi
}

inline change() /* the word is compared and swapped, or stored where the chunk is the thread's own */
{
    d_step { old = LOAD_WORD; rule() };
    do
    :: new == old -> break
    :: new != old && own ->
        atomic {
            nfull(buffer[t]) ->
            words_buffered[t * WORDS + x]++;
            word_buffered[t * WORDS + x] = new;
            buffer[t]!TO_WORD(x), new;
            tell_hits(1 << x)
        };
        break
    :: new != old && !own ->
        atomic {
            DRAINED ->
            if
            :: word[x] == old -> word[x] = new; tell_hits(1 << x); old = new
            :: word[x] != old -> old = word[x]; rule()
            fi
        }
    od;
    atomic { old = 0; new = 0; hit = false }
}

inline change_all() /* each byte of a word by itself */
{
    if
    :: IN_PARTS && places == 3 -> x = 0; change(); x = 1; change()
    :: else -> change()
    fi
}

/* --- reads in a frozen chunk --- */

#define CLAIM_PAGE(p)                                                                                         \
    reader[p] == 0 -> mine = p; reader[p] = MINE(t); CLEAN(p)
#ifndef PLANT_OLD_NOTES
#define CLEAN(p) note[(p) * KINDS] = 0; note[(p) * KINDS + 1] = 0; note[(p) * KINDS + KINDS - 1] = 0
#else
#define CLEAN(p) skip
#endif

/* mine: the thread's page. It is remembered, and may have become another's. */
inline get_page()
{
    if
    :: mine != NONE && reader[mine] == MINE(t)
    :: else ->
        atomic {
            DRAINED ->
            mine = NONE;
            if
            :: owner == FROZEN ->
                if
                :: CLAIM_PAGE(0)
#if PAGES > 1
                :: reader[0] != 0 && CLAIM_PAGE(1)
#endif
#if PAGES > 2
                :: reader[0] != 0 && reader[1] != 0 && CLAIM_PAGE(2)
#endif
                :: else
                fi
            :: else
            fi
        }
    fi
}

#define NOTED_AS(k)  (NOTE(mine, k) == CLOCK(t, t) || buffer[t]??[eval(TO_NOTE(mine, k)), eval(CLOCK(t, t))])
#define NOTED        (NOTED_AS(KIND) || (IN_PARTS && NOTED_AS(KINDS - 1)))
#define KNOWN_AS(k)  (NOTE(mine, k) != 0 || buffer[t]??[eval(TO_NOTE(mine, k)), _])
#ifdef PLANT_KNOWN
#define KNOWN        (KNOWN_AS(0) || KNOWN_AS(1) || KNOWN_AS(KIND))
#else
#define KNOWN        KNOWN_AS(KIND)
#endif
#define ORDERED      (BEFORE(W_OF(word[x]), t) && (!IN_PARTS || places != 3 || BEFORE(W_OF(word[0]), t)))

inline note_read() /* noted: the read is done */
{
    get_page();
    if
    :: mine == NONE
    :: else ->
#ifdef PLANT_NO_BUSY
        entered = (owner == FROZEN);
#else
#ifdef PLANT_LOOK_FIRST
        entered = (owner == FROZEN);
        announce(1);
#else
        enter(FROZEN);
#endif
#endif
        if
        :: entered ->
            if
            :: reader[mine] == MINE(t)
            :: else -> mine = NONE
            fi;
            if
            :: mine != NONE && NOTED -> noted = true
            :: mine != NONE && !NOTED && (KNOWN || ORDERED) ->
                buffer[t]!TO_NOTE(mine, KIND), CLOCK(t, t);
                noted = true
            :: else
            fi;
            announce(0);
            entered = false
        :: else
        fi
    fi
}

inline freeze() /* `was` owns the chunk */
{
    swap_owner(was, MOVING);
    if
    :: swapped -> membarrier(); !busy[was - 1]; owner = FROZEN
    :: else
    fi
}

inline read()
{
    do
    :: enter(MINE(t));
        if
        :: entered -> own = true; entered = false; change_all(); end_changing(); break
        :: else
        fi;
        was = owner;
        if
        :: was == SHARED -> begin_changing(); change_all(); end_changing(); break
        :: was == FROZEN ->
            note_read();
            if
            :: noted
            :: else -> begin_changing(); change_all(); end_changing()
            fi;
            break
        :: was == MOVING -> owner != MOVING
        :: was == NOBODY -> swap_owner(NOBODY, MINE(t))
        :: else -> freeze()
        fi
    od;
    atomic { noted = false; swapped = false; was = 0 }
}

/* --- a thread --- */

#define SAME_EPOCH (W_OF(old) == NOW(t) || (!writes && READS(old) == NOW_READ(t)))

inline same_epoch()
{
    d_step {
        old = LOAD_WORD;
        new = SAME_EPOCH;
        if
        :: IN_PARTS && places == 3 -> x = 0; old = LOAD_WORD; new = new && SAME_EPOCH; x = 1
        :: else
        fi;
        old = 0
    }
}

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    byte x, was, mine = NONE;
    bool own, entered, swapped, noted;
    do
    :: left == 0 -> break
    :: CAN_RELEASE -> release()
    :: CAN_ACQUIRE -> acquire()
    :: left > 0 ->
        atomic { choose_access(IN_PARTS); x = places >> 1 };
        if
        :: again -> same_epoch()
        :: else
        fi;
        if
        :: new
        :: !new && writes -> begin_changing(); change_all(); end_changing()
        :: !new && !writes -> read()
        fi;
        atomic { places = 0; writes = false; again = false; new = 0; x = 0 }
#ifdef REUSE
    :: left > 0 && owner == SHARED ->
        atomic {
            if
            :: owner == SHARED && inside_shared == 0 -> owner = NOBODY
            :: else
            fi
        }
#endif
    od;
    atomic { DRAINED -> mine = NONE; done++ }
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
        assert(owner == FROZEN || reader[0] == 0) /* no lost page */
#if PAGES > 1
        ; assert(owner == FROZEN || reader[1] == 0)
#endif
    }
}
