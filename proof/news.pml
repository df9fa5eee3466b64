/* Atomic operations without the host's lock (src/runtime/host/news.h): one variable, threads that store to it and modify
 * it under the lock, and threads that load it, or modify it relaxed, without. Every interleaving.
 *
 *   store     under the lock: count; the real store; what the variable releases := this store, or nothing (relaxed)
 *   modify    the same, but that what it releases is added to
 *   load      the thread has learned all at this count: the real load; if the count is the same, nothing is learned.
 *             Otherwise under the lock: the real load, all that the variable releases is learned, and the count noted
 *   relaxed   read-modify-write: the real one, and nothing else
 *
 * Memory is x86-64's: stores wait in a buffer of their thread, first in, first out. The lock is given up when all are
 * seen.
 *
 * Properties: who has loaded a value knows what its release sequence has (otherwise there were a false race); under the
 * lock, it learns nothing else (otherwise one were lost).
 *
 * Planted faults, each of which must be found: PLANT_LATE (counted after the real operation), PLANT_NO_LOOK (the count
 * is not looked at after the load), PLANT_NO_COUNT (a modification is not counted), PLANT_AFTER (the count is noted
 * when the lock has been given up), PLANT_STORE_ALONE (a relaxed store without the lock).
 */
#ifndef STORES
#define STORES 3 /* of each thread that stores */
#endif
#ifndef STORERS
#define STORERS 1
#endif
#ifndef LOADS
#define LOADS 3 /* of each thread that loads */
#endif
#ifndef LOADERS
#define LOADERS 2
#endif

#define NONE 255

mtype = { COUNT, VALUE };

byte memory[3];    /* by these */
byte sequence[16]; /* by value: what its release sequence has released, a bit a store */
byte values;       /* there have been so many; 0 is the first */
byte released;     /* what the variable has, under the lock */
bool locked;       /* the host's lock */

chan buffer[STORERS] = [3] of { mtype, byte };

proctype Buffer(byte t)
{
    mtype where;
    byte value;
end:
    do
    :: atomic { buffer[t]?where, value -> memory[where] = value; value = 0 }
    od
}

inline lock()
{
    atomic { !locked -> locked = true }
}

/* The variable's next value, with this release sequence. */
inline make(which, set)
{
    values++;
    which = values;
    sequence[which] = set
}

/* --- under the lock --- */

inline count()
{
    buffer[me]!COUNT, (memory[COUNT] + 1)
}

inline change()
{
    if
    :: d_step { make(new, 1 << mine); after = 1 << mine }; /* a store that releases */
       buffer[me]!VALUE, new
    :: d_step { make(new, 0); after = 0 }; /* a relaxed one */
       buffer[me]!VALUE, new
    :: atomic { empty(buffer[me]) -> /* a modification that releases */
           make(new, sequence[memory[VALUE]] | (1 << mine));
           after = released | (1 << mine);
           memory[VALUE] = new
       }
    fi
}

proctype Storer(byte me)
{
    byte left = STORES, new, after, mine = me * STORES;
    do
    :: left == 0 -> break
    :: left > 0 ->
        lock();
        left--;
#if defined(PLANT_NO_COUNT)
        skip;
#elif !defined(PLANT_LATE)
        count();
#endif
        change();
#ifdef PLANT_LATE
        count();
#endif
        atomic { empty(buffer[me]) -> released = after; mine++; new = 0; after = 0; locked = false }
    od
}

/* --- without --- */

inline load_locked()
{
    lock();
    noted = memory[COUNT];
    atomic {
        seen = memory[VALUE];
        told = ((released & ~sequence[seen]) == 0);
        assert(seen == NONE || told);
        learned = learned | released;
        told = false;
        locked = false
    }
#ifdef PLANT_AFTER
    noted = memory[COUNT]
#endif
}

inline load()
{
    if
    :: memory[COUNT] == noted ->
        seen = memory[VALUE];
#ifndef PLANT_NO_LOOK
        if
        :: memory[COUNT] == noted
        :: else -> load_locked()
        fi
#endif
    :: memory[COUNT] != noted -> load_locked()
    fi;
    atomic {
        races = ((sequence[seen] & ~learned) == 0);
        assert(races);
        seen = 0;
        races = false
    }
}

proctype Loader()
{
    byte left = LOADS, noted = NONE, seen, learned, new;
    bool told, races;
    do
    :: left == 0 -> break
    :: left > 0 ->
        left--;
        if
        :: load()
        :: d_step { make(new, sequence[memory[VALUE]]); memory[VALUE] = new; new = 0 }
#ifdef PLANT_STORE_ALONE
        :: d_step { make(new, 0); memory[VALUE] = new; new = 0 }
#endif
        fi
    od
}

init
{
    byte i;
    atomic {
        do
        :: i == STORERS -> break
        :: else -> run Buffer(i); run Storer(i); i++
        od;
        i = 0;
        do
        :: i == LOADERS -> break
        :: else -> run Loader(); i++
        od
    }
}
