/* Leases of chunks (src/shadow/owner.h, src/shadow/unshare.h): N threads that update one word of a chunk, each K times or fewer, and begin a
 * new epoch whenever they like.
 *
 *   an update       busy := 1; entry = my lease?  word := word + 1, by a load and a store; busy := 0
 *                   entry = SHARED?  by compare-and-swap
 *   a new epoch     lease := the next, when the thread is not in the chunk
 *   a lease that is another's, and over    entry: that lease -> MOVING, by compare-and-swap; entry := mine
 *   ... and still lasts                    entry: that lease -> MOVING; membarrier; wait for busy; entry := SHARED
 *
 * With -DBACK the chunk is shared from the start, and there is the way back, as often as BACK says. Updates are made
 *
 *   quickly         busy := 1; entry; asked?  go slow : as above; busy := 0
 *   or inside       working := 1; asked?  working := 0, wait and begin again : the update, of which an update of a
 *                   shared chunk is not announced by busy; working := 0
 *   by who stops    asked := 1; membarrier; wait until nobody else is busy or working; entry: SHARED -> NOBODY;
 *                   membarrier; wait until nobody else is busy; asked := 0
 *
 * Memory is x86-64's: stores wait in a buffer for each thread. A compare-and-swap is made with an empty buffer; a
 * membarrier is over when every buffer has been empty.
 *
 * Property: no lost race. Whoever looks at the word sees all updates that were made: none is lost, which in the runtime
 * would be an access that nobody can find.
 *
 * Planted faults, each of which must be found: PLANT_NO_MEMBARRIER, PLANT_NO_BUSY (an update is not announced),
 * PLANT_NO_WAIT (nobody waits for busy), PLANT_NO_LOOK (a lease that lasts is taken like one that is over), PLANT_EARLY
 * (the next epoch begins in the middle of an update); and in the way back: PLANT_BACK_NO_MEMBARRIER, PLANT_BACK_NO_WAIT
 * (nobody is waited for), PLANT_BACK_BUSY_ONLY (only who is busy is), PLANT_BACK_ONCE (who has seen that
 * the chunk was shared is not waited for, after it is leased).
 */
#ifndef N
#define N 2
#endif
#ifndef K
#define K 3
#endif

#define NOBODY 0 /* a lease that nobody holds */
#define MOVING 1
#define SHARED 2
#define LEASE(t, epoch) (3 + (t) * 8 + (epoch))
#define IS_LEASE(e)     (e > SHARED)
#define HOLDER(e)       ((e - 3) / 8)

#ifdef BACK
byte entry = SHARED;
bool working[N];
bool asked;    /* to keep out */
bool stopping; /* a lock */
byte stops;
#else
byte entry = NOBODY;
#endif
byte word, made; /* made: how many updates there were */
byte lease[N];
bool busy[N];
bool told; /* never: it tells proof/run which property an assertion is */

/* --- store buffers --- */

#define TO_BUSY  0
#define TO_WORD  1
#define TO_LEASE 2
#define TO_ENTRY 3
#define TO_WORKING 4
#define TO_ASKED 5 /* and, when it is 0, the lock is given back */

chan buffer[N] = [4] of { byte, byte };
byte words[N], last_word[N], entries[N], last_entry[N];

#define LOAD_WORD  (words[me] > 0 -> last_word[me] : word)
#define LOAD_ENTRY (entries[me] > 0 -> last_entry[me] : entry)

inline store(where, value)
{
    atomic {
        buffer[me]!where, value;
        if
        :: where == TO_WORD -> words[me]++; last_word[me] = value
        :: where == TO_ENTRY -> entries[me]++; last_entry[me] = value
        :: else
        fi
    }
}

proctype Buffer(byte me)
{
    byte where, value;
end:
    do
    :: atomic {
           buffer[me]?where, value ->
           if
           :: where == TO_BUSY -> busy[me] = value
           :: where == TO_LEASE -> lease[me] = value
           :: where == TO_WORD -> word = value; words[me]--
#ifdef BACK
           :: where == TO_WORKING -> working[me] = value
           :: where == TO_ASKED -> asked = value; stopping = value
#endif
           :: where == TO_ENTRY -> entry = value; entries[me]--
           fi;
           where = 0;
           value = 0
       }
    od
}

inline membarrier()
{
#ifndef PLANT_NO_MEMBARRIER
    i = 0;
    do
    :: i == N -> break
    :: else -> empty(buffer[i]); i++
    od;
    i = 0
#else
    skip
#endif
}

/* --- threads --- */

inline announce(on)
{
#ifndef PLANT_NO_BUSY
    store(TO_BUSY, on)
#else
    skip
#endif
}

inline begin_epoch()
{
    epoch++;
    store(TO_LEASE, LEASE(me, epoch))
}

inline take(from) /* taken: it is the thread's to give away */
{
    empty(buffer[me]);
    atomic {
        taken = (entry == from);
        if
        :: taken -> entry = MOVING
        :: else
        fi
    }
}

inline look()
{
    atomic { seen = LOAD_WORD; assert(seen == made || told) }
}

inline update_plainly()
{
    look();
#ifdef PLANT_EARLY
    if
    :: begin_epoch()
    :: skip
    fi;
#endif
    atomic { made++; store(TO_WORD, seen + 1) }
    seen = 0;
    announce(0)
}

inline update_shared()
{
    empty(buffer[me]);
    atomic { assert(word == made || told); word++; made++ }
    announce(0)
}

#ifdef PLANT_NO_LOOK
#define IS_OVER(e) true
#else
#define IS_OVER(e) (!IS_LEASE(e) || lease[HOLDER(e)] != e)
#endif

inline get() /* the chunk's entry is e, and is not the thread's */
{
    if
    :: IS_OVER(e) ->
        take(e);
        if
        :: taken -> store(TO_ENTRY, LEASE(me, epoch))
        :: else
        fi
    :: else ->
        take(e);
        if
        :: taken ->
            membarrier();
#ifndef PLANT_NO_WAIT
            lease[HOLDER(e)] != e || !busy[HOLDER(e)];
#endif
            store(TO_ENTRY, SHARED)
        :: else
        fi
    fi;
    taken = false
}

#ifndef BACK
proctype Thread(byte me)
{
    byte left = K, epoch, e, seen, i;
    bool taken;
    do
    :: left == 0 -> break
    :: left > 0 && epoch < K -> begin_epoch()
    :: left > 0 ->
        announce(1);
        e = LOAD_ENTRY;
        if
        :: e == LEASE(me, epoch) -> update_plainly(); left--
        :: e == SHARED -> update_shared(); left--
        :: e == MOVING -> announce(0); entry != MOVING
        :: else -> announce(0); get()
        fi;
        e = 0
    od;
    empty(buffer[me])
}
#else

inline quickly()
{
    announce(1);
    e = LOAD_ENTRY;
    if
    :: asked -> announce(0); slow = true
    :: !asked && e == LEASE(me, epoch) -> update_plainly(); left--
    :: !asked && e == SHARED -> update_shared(); left--
    :: !asked && e != LEASE(me, epoch) && e != SHARED -> announce(0); slow = true
    fi;
    e = 0
}

inline enter()
{
    do
    :: store(TO_WORKING, 1);
       if
       :: asked -> store(TO_WORKING, 0); !asked
       :: else -> break
       fi
    od
}

/* An update by who is inside. Who finds that the chunk is not its own, but shared, takes its busy back. */
inline inside()
{
    do
    :: slow ->
        announce(1);
        e = LOAD_ENTRY;
        if
        :: e == LEASE(me, epoch) -> update_plainly(); left--; slow = false
        :: else ->
            announce(0);
            e = LOAD_ENTRY;
            if
            :: e == SHARED -> update_shared(); left--; slow = false
            :: e == MOVING -> entry != MOVING
            :: e == LEASE(me, epoch)
            :: else -> get()
            fi
        fi;
        e = 0
    :: !slow -> break
    od
}

#ifdef PLANT_BACK_NO_WAIT
#define IS_OUTSIDE(t) true
#else
#ifdef PLANT_BACK_BUSY_ONLY
#define IS_OUTSIDE(t) (!busy[t])
#else
#define IS_OUTSIDE(t) (!busy[t] && !working[t])
#endif
#endif

inline all_outside()
{
#ifndef PLANT_BACK_NO_MEMBARRIER
    empty(buffer[me]); /* the caller's fence is the first */
    membarrier();
#endif
    i = 0;
    do
    :: i == N -> break
    :: i < N && i == me -> i++
    :: i < N && i != me -> IS_OUTSIDE(i); i++
    od;
    i = 0
}

/* Whoever is at it when another wants to do it, too, has done it. */
inline stop()
{
    empty(buffer[me]);
    atomic {
        taken = (!stopping && stops < BACK);
        if
        :: taken -> stopping = true; stops++
        :: else
        fi
    }
    if
    :: taken ->
        store(TO_ASKED, 1);
        all_outside();
        if
        :: entry == SHARED ->
            store(TO_ENTRY, NOBODY);
#ifndef PLANT_BACK_ONCE
            all_outside()
#endif
        :: else
        fi;
        store(TO_ASKED, 0)
    :: else
    fi;
    taken = false
}

proctype Thread(byte me)
{
    byte left = K, epoch, e, seen, i;
    bool taken, slow;
    do
    :: left == 0 -> break
    :: left > 0 && epoch < K -> begin_epoch()
    :: left > 0 && stops < BACK -> stop()
    :: left > 0 ->
        if
        :: quickly()
        :: slow = true
        fi;
        if
        :: slow -> enter(); inside(); store(TO_WORKING, 0)
        :: else
        fi
    od;
    empty(buffer[me])
}
#endif

init {
    byte t;
    atomic {
        do
        :: t == N -> break
        :: else -> lease[t] = LEASE(t, 0); run Thread(t); run Buffer(t); t++
        od
    }
}
