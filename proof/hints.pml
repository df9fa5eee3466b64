/* Hints (src/runtime/host/hints.h): one word, a thread that accesses it again and again, one that clears its memory, and
 * one that releases in the name of the first. Every interleaving.
 *
 *   access    the word has the thread's number: answered. Otherwise, the filter knows it, and no clearing is unheard of:
 *             answered, and a hint is given. Otherwise it is recorded, after all that was heard of (EARLY:
 *             and a hint is given)
 *   number    the thread has one from the beginning on; where it is given up, another one follows, unless no word can
 *             have it; whoever has lost it gets another one for a hint, or when something is recorded
 *   hint      word := number, an exchange; a second look at the count of clearings: if there is one more, word := 0 and the
 *             number is given up
 *   clearing  count; a fence; word := 0
 *   release   by another: count; a fence; the thread's number is taken away, if it ever had one. By the thread itself: the
 *             filter forgets, and the number is given up
 *
 * Memory is x86-64's: stores wait in a buffer of their thread, first in, first out; a thread sees its own.
 *
 * Abstracted: the filter knows the whole word or nothing, and forgets it with each clearing.
 *
 * Properties: whoever is answered after a clearing, or a release, is over has been recorded after it (told), also one of
 * its own (anew); no word ever has the number that stands for none.
 *
 * Planted faults, each of which must be found: PLANT_NO_FENCE (between count and the word), PLANT_NO_FENCE_2 (between count
 * and the number), PLANT_STORE (a hint is stored, not exchanged), PLANT_NO_SECOND_LOOK, PLANT_EMPTY_FIRST (a clearing counts
 * last), PLANT_TAKE_FIRST (a release counts last), PLANT_LOAD_TWICE (the number is loaded again when it is stored),
 * PLANT_SAME_NUMBER (it is the next epoch's, too, although a word has it), PLANT_HIDDEN (nobody is told where a number is that
 * was not taken for a hint). Of what the second look leads to, either would do: KEEP_HINT, KEEP_NUMBER leave the other one out.
 */
#ifndef STEPS
#define STEPS 4 /* accesses */
#endif
#ifndef CLEARINGS
#define CLEARINGS 1
#endif
#ifndef RELEASES
#define RELEASES 1
#endif
#ifndef OWN
#define OWN 1 /* releases of the thread itself */
#endif

#define NONE 255 /* no number */

mtype = { WORD, NOW, COUNT, RUNNING };

byte memory[5];   /* by these */
bool releases[8]; /* is this one, as COUNT counts them, a release? */
byte over;        /* the latest that has ended */
bool locked;      /* the host's lock */

/* --- store buffers: of the thread, and of whoever has the lock --- */

chan buffer[2] = [4] of { mtype, byte };
byte waiting[10], last[10]; /* stores of a variable that wait, and the last of them */

#define AT(t, v)   ((t) * 5 + (v))
#define LOAD(t, v) (waiting[AT(t, v)] > 0 -> last[AT(t, v)] : memory[v])
#define DRAINED(t) (empty(buffer[t]))

proctype Buffer(byte t)
{
    mtype where;
    byte value;
end:
    do
    :: atomic {
           buffer[t]?where, value ->
           memory[where] = value;
           waiting[AT(t, where)]--;
           if
           :: waiting[AT(t, where)] == 0 -> last[AT(t, where)] = 0
           :: else
           fi;
           value = 0
       }
    od
}

inline store(t, where, value)
{
    atomic { nfull(buffer[t]) -> waiting[AT(t, where)]++; last[AT(t, where)] = value; buffer[t]!where, value }
}

/* --- the thread --- */

inline put(value)
{
    assert(value != NONE);
#ifdef PLANT_STORE
    store(0, WORD, value)
#else
    atomic { DRAINED(0) -> memory[WORD] = value }
#endif
}

inline renew()
{
    number++;
    given = false;
#ifndef PLANT_HIDDEN
    store(0, RUNNING, 1);
#endif
    store(0, NOW, number)
}

inline begin()
{
    if
    :: LOAD(0, NOW) == NONE -> renew()
    :: else
    fi
}

inline end_epoch()
{
    if
#ifndef PLANT_SAME_NUMBER
    :: given -> renew()
#endif
    :: else -> begin()
    fi
}

inline give()
{
    mine = LOAD(0, NOW);
    if
    :: mine == NONE -> renew(); mine = number
    :: else
    fi;
    given = true;
#ifdef PLANT_LOAD_TWICE
    mine = LOAD(0, NOW);
#endif
    put(mine);
#ifndef PLANT_NO_SECOND_LOOK
    seen = LOAD(0, COUNT);
    if
    :: seen != heard ->
#ifndef KEEP_HINT
        put(0);
#endif
#ifndef KEEP_NUMBER
        end_epoch();
#endif
        skip
    :: else
    fi
#endif
}

inline hear()
{
    do
    :: heard == seen -> break
    :: else ->
        heard++;
        if
        :: releases[heard] -> end_epoch()
        :: else
        fi;
        knows = false
    od
}

proctype Thread()
{
    byte left = STEPS, own = OWN, begun, mine, seen, heard, recorded, number;
    bool knows, told, anew, given;
    begin();
    do
    :: left == 0 -> break
    :: left > 0 && own > 0 -> own--; knows = false; anew = false; end_epoch()
    :: left > 0 ->
        atomic { left--; begun = over; mine = LOAD(0, NOW) };
        if
        :: LOAD(0, WORD) == mine
        :: else ->
            seen = LOAD(0, COUNT);
            if
            :: knows && seen == heard ->
                d_step { told = (recorded >= begun); assert(begun == 0 || told); told = false };
                give()
            :: else ->
                hear();
                if
                :: begin()
                :: true
                fi;
                recorded = heard;
                anew = true;
                knows = true;
#ifdef EARLY
                d_step { told = (recorded >= begun); assert((begun == 0 || told) && anew); told = false };
                give()
#endif
            fi
        fi;
        atomic { told = (recorded >= begun); assert((begun == 0 || told) && anew); told = false; mine = 0; seen = 0; begun = 0 }
    od
}

/* --- others, under the host's lock --- */

inline count_one(is_release)
{
    d_step { which = LOAD(1, COUNT) + 1; releases[which] = is_release };
    store(1, COUNT, which)
}

inline fence()
{
    DRAINED(1)
}

inline ends()
{
    atomic { DRAINED(1) -> over = which; which = 0; locked = false }
}

proctype Clearer()
{
    byte left = CLEARINGS, which;
    do
    :: left == 0 -> break
    :: left > 0 ->
        atomic { !locked -> locked = true; left-- };
#ifdef PLANT_EMPTY_FIRST
        store(1, WORD, 0);
        fence();
#endif
        count_one(false);
#ifndef PLANT_NO_FENCE
        fence();
#endif
#ifndef PLANT_EMPTY_FIRST
        /* What is empty already is only looked at. */
        if
        :: LOAD(1, WORD) != 0 -> store(1, WORD, 0)
        :: else
        fi;
#endif
        ends()
    od
}

inline take_number()
{
    if
    :: LOAD(1, RUNNING) != 0 -> store(1, NOW, NONE)
    :: else
    fi
}

proctype Releaser()
{
    byte left = RELEASES, which;
    do
    :: left == 0 -> break
    :: left > 0 ->
        atomic { !locked -> locked = true; left-- };
#ifdef PLANT_TAKE_FIRST
        take_number();
        fence();
#endif
        count_one(true);
#ifndef PLANT_NO_FENCE_2
        fence();
#endif
#ifndef PLANT_TAKE_FIRST
        take_number();
#endif
        ends()
    od
}

init
{
    atomic {
        memory[NOW] = NONE;
        run Buffer(0);
        run Buffer(1);
        run Thread();
        run Clearer();
        run Releaser()
    }
}
