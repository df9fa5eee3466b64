/* Vectors of readers (src/shadow/readers.h, vectors.h): two words, each of which may get a vector, every
 * interleaving of two or three threads that read and write them.
 *
 *   a word gets a vector   take one from the pool, put oneself in, compare-and-swap the word; or give it back
 *   a read                 make one's row, if it is the first time; entry := load, and done if it is the epoch; look at
 *                          the word; compare-and-swap the entry; look at the word again
 *   a write                compare-and-swap the word, look at the entries one by one, give the vector back
 *   an access by bytes     compare-and-swap the word to a record, copy the entries, give the vector back, fold
 *   giving back            next generation; entries one by one; then the pool, from where the other word takes it
 *
 * Memory is sequentially consistent here, which is as good as x86-64's: what is changed is changed by locked
 * instructions, but for a vector's entries while it is made ready or given back. Those stores are followed by a locked
 * instruction before their thread does anything else that others look at; until then they are only late, as if the
 * thread were slow.
 *
 * Abstracted, beyond judge.pml: any read that changes a word may give it a vector (the program asks whether that is
 * worth it); a record is locked from its making to its fold (shadow.pml has the rest). Where ROWS is defined no thread
 * has a row at first: nobody looks at entries of rows that are not there.
 *
 * Properties: those of judge.pml, for each word, and
 *
 *   no lost vector  when all threads are done, the pool holds every vector that no word names   (assertion)
 *
 * Planted faults, each of which must be found: PLANT_STORE (an entry is stored, not compared and swapped),
 * PLANT_NO_GENERATION (entries of a vector that was given back are as before), PLANT_NO_FIRST_LOOK and
 * PLANT_NO_SECOND_LOOK (a reader does not look at the word before, or after, it changes its entry), PLANT_LOOK_FIRST (a
 * writer looks at the entries and takes the vector away then), PLANT_EARLY_GIVE (a vector is given back before its
 * entries say so), PLANT_LATE_ROW (a row is made after the entry), PLANT_SILENT (a
 * reader that begins again and finds its epoch in a set is not compared with the last write).
 */
#define DRAINED true
#include "judge.pml"

#ifndef VECTORS
#define VECTORS 2
#endif
#define WORDS 2

/* --- words: a state; or VECTOR, its number and W; or RECORD --- */

#define VECTOR       STATES
#define RECORD       (2 * STATES)
#define VECTOR_OF(w) (((w) >> 4) & 3)
#define NAMING(v, w) (VECTOR | (v) << 4 | W_OF(w))

/* An entry is a clock of its thread, or a generation, which is at least FIRST. */
#define FIRST      4
#define ENTRY(v, u) entry[(v) * N + (u)]
#define NONE        VECTORS

#ifdef ROWS
bool row[N];
#define HAS_ROW(u) row[u]
#define MAKE_ROW   row[t] = true
#else
#define HAS_ROW(u) true
#define MAKE_ROW   skip
#endif
#ifdef PLANT_LATE_ROW
#define MAKE_ROW_FIRST skip
#define MAKE_ROW_LATE  MAKE_ROW
#else
#define MAKE_ROW_FIRST MAKE_ROW
#define MAKE_ROW_LATE  skip
#endif

short word[WORDS];
byte entry[VECTORS * N];
byte generation[VECTORS];
short before[VECTORS];
bool pooled[VECTORS];

/* --- vectors --- */

inline take(result) /* or NONE */
{
    atomic {
        if
        :: pooled[0] -> result = 0
#if VECTORS > 1
        :: pooled[1] -> result = 1
#endif
        :: else -> result = NONE
        fi;
        if
        :: result != NONE -> pooled[result] = false
        :: else
        fi
    }
}

#define SPOIL(which, u)                                                                                       \
    if                                                                                                        \
    :: HAS_ROW(u) -> ENTRY(which, u) = generation[which]                                                      \
    :: else                                                                                                   \
    fi

inline give(which)
{
    if
    :: which == NONE
    :: else ->
#ifdef PLANT_EARLY_GIVE
        pooled[which] = true;
#endif
#ifndef PLANT_NO_GENERATION
        generation[which]++;
#endif
        SPOIL(which, 0);
        SPOIL(which, 1);
#if N == 3
        SPOIL(which, 2);
#endif
        atomic {
            before[which] = 0;
#ifndef PLANT_EARLY_GIVE
            pooled[which] = true;
#endif
            which = NONE
        }
    fi
}

/* All readers of a vector, looked at one by one: into `new`, as R of a state. */
#define LATER(u, c)                                                                                           \
    new = ((c) > R_OF(new, u) -> (new & ~(3 << (4 + 2 * (u)))) | (c) << (4 + 2 * (u)) : new)
#define LOOK_AT_ENTRY(u)                                                                                      \
    d_step {                                                                                                  \
        if                                                                                                    \
        :: HAS_ROW(u) && ENTRY(v, u) < FIRST -> LATER(u, ENTRY(v, u))                                                       \
        :: else                                                                                               \
        fi                                                                                                    \
    }
#define LOOK_BEFORE(u) LATER(u, R_OF(before[v], u))

inline gather(which)
{
    v = which;
    if
    :: v == NONE
    :: else ->
        LOOK_AT_ENTRY(0);
        LOOK_AT_ENTRY(1);
#if N == 3
        LOOK_AT_ENTRY(2);
#endif
        d_step {
            LOOK_BEFORE(0);
            LOOK_BEFORE(1);
#if N == 3
            LOOK_BEFORE(2);
#endif
            v = NONE
        }
    fi
}

/* --- reads --- */

/* The word is `seen`, which names a vector. finished: it was read. */
inline add_to_vector()
{
    v = VECTOR_OF(seen);
    MAKE_ROW_FIRST;
    old = ENTRY(v, t);
    if
    :: old == CLOCK(t, t) -> finished = true; seen = 0 /* nothing to be told: it was when the entry was made */
    :: else ->
#ifndef PLANT_NO_FIRST_LOOK
        if
        :: word[x] == seen
        :: else -> v = NONE
        fi;
#endif
        if
        :: v == NONE
        :: else ->
            atomic {
                if
#ifdef PLANT_STORE
                :: true -> ENTRY(v, t) = CLOCK(t, t)
#else
                :: ENTRY(v, t) == old -> ENTRY(v, t) = CLOCK(t, t)
                :: else -> v = NONE
#endif
                fi
            };
#ifdef PLANT_NO_SECOND_LOOK
            finished = (v != NONE)
#else
            finished = (v != NONE && word[x] == seen)
#endif
        fi
    fi;
    MAKE_ROW_LATE;
    atomic { old = 0; v = NONE }
}

inline name_in_word() /* the vector `mine`; or gives it back */
{
    atomic {
        if
        :: word[x] == seen -> word[x] = NAMING(mine, seen); finished = true; mine = NONE
        :: else
        fi
    };
    give(mine)
}

/* --- accesses --- */

/* Whoever changes the word takes the vector away from it. */
inline write_over_vector()
{
    mine = VECTOR_OF(seen);
#ifdef PLANT_LOOK_FIRST
    gather(mine);
#endif
    atomic {
        if
        :: word[x] == seen -> word[x] = NOW(t); finished = true
        :: else -> mine = NONE; new = 0
        fi
    };
    if
    :: finished ->
#ifndef PLANT_LOOK_FIRST
        gather(mine);
#endif
        atomic { old = new | W_OF(seen); rule(); tell_hits(1 << x); old = 0; new = 0 }
    :: else
    fi;
    give(mine)
}

inline access_by_record()
{
    mine = VECTOR_OF(seen);
    atomic {
        if
        :: word[x] == seen -> word[x] = RECORD; finished = true
        :: else -> mine = NONE
        fi
    };
    if
    :: finished ->
        gather(mine);
        give(mine);
        atomic { old = new | W_OF(seen); rule(); tell_hits(1 << x); word[x] = new; old = 0; new = 0 }
    :: else
    fi
}

inline access_plain()
{
    atomic {
        old = seen;
        rule();
        if
#ifndef PLANT_SILENT
        :: new == old -> tell_hits(1 << x); finished = true
#else
        :: new == old -> finished = true
#endif
        :: new != old && word[x] == seen -> word[x] = new; tell_hits(1 << x); finished = true
        :: else
        fi;
        old = 0;
        new = 0;
        hit = false
    }
}

inline get_vector()
{
    take(mine);
    if
    :: mine == NONE
    :: else ->
        before[mine] = READS(seen);
        MAKE_ROW_FIRST;
        ENTRY(mine, t) = CLOCK(t, t);
        name_in_word()
    fi
}

inline access()
{
    do
    :: finished -> break
    :: else ->
        seen = word[x];
        if
        :: seen >= RECORD -> word[x] != RECORD /* its lock */
        :: seen < RECORD && W_OF(seen) == NOW(t) -> finished = true
        :: seen < VECTOR && W_OF(seen) != NOW(t) -> access_plain()
        :: seen < VECTOR && W_OF(seen) != NOW(t) && !writes && READS(seen) != NOW_READ(t) ->
            get_vector(); tell_write()
        :: seen >= VECTOR && seen < RECORD && W_OF(seen) != NOW(t) && !writes -> add_to_vector(); tell_write()
        :: seen >= VECTOR && seen < RECORD && W_OF(seen) != NOW(t) && writes -> write_over_vector()
        :: seen >= VECTOR && seen < RECORD && W_OF(seen) != NOW(t) -> access_by_record()
        fi
    od
}

inline tell_write() /* what a read is compared with, when it is done */
{
    atomic { hit = (finished && !BEFORE(W_OF(seen), t)); tell_hits(1 << x) }
}

proctype Thread(byte t)
{
    THREAD_VARIABLES;
    short seen;
    byte x, v = NONE, mine = NONE;
    bool finished;
    do
    :: left == 0 -> break
    :: CAN_RELEASE -> release()
    :: CAN_ACQUIRE -> acquire()
    :: left > 0 ->
        atomic { choose_access(false); x = places >> 1; again = false };
        access();
        atomic { places = 0; writes = false; seen = 0; x = 0; finished = false }
    od;
    done++
}

#define NAMED(v) (word[0] >= VECTOR && VECTOR_OF(word[0]) == (v) || word[1] >= VECTOR && VECTOR_OF(word[1]) == (v))

init
{
    atomic {
        byte i;
        for (i : 0 .. VECTORS - 1) {
            pooled[i] = true;
            generation[i] = FIRST
        }
        for (i : 0 .. VECTORS * N - 1) {
            entry[i] = FIRST
        }
        for (i : 0 .. N - 1) {
            CLOCK(i, i) = 1;
            run Thread(i)
        }
        i = 0
    }
    atomic {
        done == N ->
        judge_at_the_end();
        assert(pooled[0] != NAMED(0)) /* no lost vector */
#if VECTORS > 1
        ; assert(pooled[1] != NAMED(1))
#endif
    }
}
