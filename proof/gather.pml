/* Gathered bytes (src/runtime/gather.h): a thread that accesses the two bytes of a word, STEPS times in all, and checks
 * them together; and another that takes the chunk away, shares it, and gives the memory out again, GIVINGS times.
 *
 *   one more byte    pending := pending and the byte, by one instruction that is not locked: a load, then a store
 *   the first        in the chunk, if it is the thread's own or shared
 *   a flush          own chunk: in it; shared: with the lock. What was taken is not checked
 *   the last         own chunk: in it; shared: checking := pending; pending -> 0, by compare-and-swap
 *   who takes it     owner := MOVING; membarrier; wait for busy; marks, membarrier, until there is nothing to mark; checks
 *   who gives it out gives: the memory is a new block from here on. Own chunk: empties the shadow. Otherwise marks and checks
 *                    first, with the lock, and waits for what is being checked
 *
 * Memory is x86-64's: the thread's stores wait in a buffer, also the one that adds a byte. The access comes after it: it is one
 * to the block that the memory is when that store leaves the buffer, or to a later one.
 *
 * Properties, all of them assertions:
 *
 *   no false race   no byte is checked that is not pending, or after the shadow was emptied for a later block
 *   no lost race    none is pending when the shadow is emptied for a later block, nor when the thread synchronizes
 *
 * Planted faults, each of which must be found: PLANT_NO_MEMBARRIER (after a mark), PLANT_ANY_CHUNK (the first byte is gathered in
 * whosever chunk), PLANT_NO_MARK (who takes it does not mark it), PLANT_AGAIN (what was taken is checked by the thread, too),
 * PLANT_UNDONE (a mark that was undone is taken for one), PLANT_NO_LOOK (memory is given out without a look at what others have pending), PLANT_NO_WAIT (for what is being checked),
 * PLANT_NO_LOCK.
 */
#ifndef STEPS
#define STEPS 3
#endif
#ifndef GIVINGS
#define GIVINGS 2
#endif

#define MINE   0
#define MOVING 1
#define OTHER  2
#define SHARED 3

#define BOTH  3 /* bytes 1 and 2 */
#define TAKEN 4

byte owner = MINE;
bool busy, lock;
byte pending;
byte checking;
byte block = 1;   /* that the memory is */
byte emptied = 1; /* for which the shadow is */
byte in_block[3]; /* by byte: 0, or of which block it waits to be checked */
bool in_instruction;
bool races, told; /* never: they tell proof/run which property an assertion is */

/* --- the thread's store buffer --- */

#define TO_BUSY     0
#define TO_PENDING  1
#define TO_CHECKING 2
chan buffer = [4] of { byte, byte };
byte pending_buffered, last_pending;

#define LOAD_PENDING (pending_buffered > 0 -> last_pending : pending)

inline store(where, value)
{
    atomic {
        buffer!where, value;
        if
        :: where == TO_PENDING -> pending_buffered++; last_pending = value
        :: else
        fi
    }
}

inline accessed(b)
{
    if
    :: (pending & b) && in_block[b] == 0 -> in_block[b] = block
    :: else
    fi
}

active proctype Buffer()
{
    byte where, value;
end:
    do
    :: atomic {
           buffer?where, value ->
           if
           :: where == TO_BUSY -> busy = value
           :: where == TO_PENDING ->
               pending = value;
               if
               :: !(value & TAKEN) -> accessed(1); accessed(2)
               :: else
               fi;
               pending_buffered--;
               if
               :: pending_buffered == 0 -> last_pending = 0
               :: else
               fi
           :: else -> checking = value
           fi;
           where = 0;
           value = 0
       }
    od
}

#define BETWEEN_INSTRUCTIONS (empty(buffer) && !in_instruction)

/* --- checking --- */

inline check_byte(bytes, b)
{
    if
    :: (bytes & b) ->
        assert(races || (in_block[b] != 0 && in_block[b] >= emptied));
        in_block[b] = 0
    :: else
    fi
}

inline check(bytes)
{
    atomic { check_byte(bytes, 1); check_byte(bytes, 2) }
}

inline nothing_waits()
{
    assert((in_block[1] == 0 && in_block[2] == 0) || told)
}

/* --- the thread --- */

inline announce(on)
{
    store(TO_BUSY, on)
}

inline fence()
{
    empty(buffer)
}

inline flush()
{
    do
    :: LOAD_PENDING == 0 -> break
    :: else ->
        announce(1);
        if
        :: owner == MINE ->
            seen = LOAD_PENDING;
#ifdef PLANT_AGAIN
            fence();
            check(seen);
#else
            if
            :: !(seen & TAKEN) -> fence(); check(seen)
            :: else
            fi;
#endif
            store(TO_PENDING, 0);
            announce(0);
            break
        :: owner == SHARED ->
            announce(0);
            fence();
#ifndef PLANT_NO_LOCK
            atomic { !lock -> lock = true }
#endif
            seen = pending;
            if
            :: !(seen & TAKEN) -> check(seen)
            :: else
            fi;
            store(TO_PENDING, 0);
            fence();
#ifndef PLANT_NO_LOCK
            lock = false;
#endif
            break
        :: owner == OTHER -> announce(0); take_chunk()
        :: owner == MOVING -> announce(0); owner != MOVING
        fi
    od;
    seen = 0
}

/* From the other one, which is not in it. */
inline take_chunk()
{
    atomic {
        if
        :: owner == OTHER ->
            if
            :: owner = MINE
            :: owner = SHARED
            fi
        :: else
        fi
    }
}

inline begin_word() /* done: it is pending */
{
    announce(1);
    if
#ifdef PLANT_ANY_CHUNK
    :: true ->
#else
    :: owner == MINE || owner == SHARED ->
#endif
        store(TO_PENDING, b);
        done = true;
        announce(0)
    :: owner == OTHER -> announce(0); take_chunk()
    :: owner == MOVING -> announce(0); owner != MOVING
    fi
}

inline add()
{
    atomic { in_instruction = true; seen = LOAD_PENDING }
    atomic {
        if
        :: seen != 0 && !(seen & TAKEN) -> store(TO_PENDING, seen | b); done = true
        :: else -> store(TO_PENDING, seen)
        fi;
        in_instruction = false
    }
    seen = 0
}

inline whole()
{
    announce(1);
    if
    :: owner == MINE ->
        seen = LOAD_PENDING;
        if
        :: !(seen & TAKEN) -> fence(); check(seen); store(TO_PENDING, 0)
        :: else
        fi
    :: owner == SHARED ->
        seen = LOAD_PENDING;
        store(TO_CHECKING, seen & BOTH);
        fence();
        atomic {
            back = (pending == seen && !(seen & TAKEN));
            if
            :: back -> pending = 0
            :: else
            fi
        }
        if
        :: back -> check(seen)
        :: else
        fi;
        store(TO_CHECKING, 0)
    :: else
    fi;
    announce(0);
    seen = 0;
    back = false
}

active proctype Thread()
{
    byte steps = STEPS, seen, b;
    bool done, back;
    do
    :: steps == 0 -> break
    :: else ->
        if
        :: b = 1
        :: b = 2
        fi;
        done = false;
        do
        :: done -> break
        :: else ->
            if
            :: LOAD_PENDING == 0 -> begin_word()
            :: (LOAD_PENDING & TAKEN) -> flush()
            :: LOAD_PENDING != 0 && !(LOAD_PENDING & TAKEN) -> add()
            fi
        od;
        if
        :: LOAD_PENDING == BOTH -> whole()
        :: LOAD_PENDING != BOTH -> flush()
        :: true
        fi;
        b = 0;
        steps--
    od;
    flush();
    fence();
    atomic { nothing_waits() }
}

/* --- the other --- */

inline mark() /* until nothing is left to be marked */
{
    do
    :: pending == 0 || (pending & TAKEN) -> break
    :: else ->
        atomic {
            if
            :: pending != 0 && !(pending & TAKEN) -> pending = pending | TAKEN; mine = true
            :: else
            fi
        }
#ifndef PLANT_NO_MEMBARRIER
        BETWEEN_INSTRUCTIONS
#endif
    od
}

inline check_marked()
{
#ifdef PLANT_NO_MARK
    seen = pending;
    mine = (seen != 0);
#else
    mark();
    seen = pending;
#endif
    if
#if defined(PLANT_NO_MARK) || defined(PLANT_UNDONE)
    :: mine -> check(seen)
#else
    :: mine && (seen & TAKEN) -> check(seen)
#endif
    :: else
    fi;
    seen = 0;
    mine = false
}

inline take_over()
{
    atomic { owner == MINE -> owner = MOVING }
    BETWEEN_INSTRUCTIONS;
    !busy;
    check_marked();
    if
    :: owner = OTHER
    :: owner = SHARED
    fi
}

inline give_out()
{
    block++;
#ifndef PLANT_NO_LOOK
    if
    :: owner == OTHER
    :: owner == MINE -> take_over_for_good()
    :: owner == SHARED
    fi;
    if
    :: owner == SHARED ->
#ifndef PLANT_NO_LOCK
        atomic { !lock -> lock = true }
#endif
        do
        :: check_marked();
           if
#ifndef PLANT_NO_WAIT
           :: checking != 0 -> checking == 0
           :: checking == 0 -> break
#else
           :: break
#endif
           fi
        od;
#ifndef PLANT_NO_LOCK
        lock = false
#endif
    :: else
    fi;
#endif
    atomic {
        emptied = block;
        assert(in_block[1] == 0 || in_block[1] >= emptied || told);
        assert(in_block[2] == 0 || in_block[2] >= emptied || told)
    }
}

inline take_over_for_good()
{
    atomic {
        if
        :: owner == MINE -> owner = MOVING
        :: else
        fi
    }
    if
    :: owner == MOVING ->
        BETWEEN_INSTRUCTIONS;
        !busy;
        check_marked();
        owner = SHARED
    :: else
    fi
}

active proctype Other()
{
    byte left = GIVINGS, seen;
    bool mine;
    do
    :: break
    :: owner == MINE -> take_over()
    :: left > 0 -> give_out(); left--
    od
}
