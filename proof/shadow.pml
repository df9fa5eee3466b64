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
 * Memory is x86-64's: the stores of the own-chunk path and of busy wait in a first-in first-out buffer of their
 * thread until its Buffer process writes them, in order; a thread sees its own; locked instructions (and with them
 * locks and synchronization) wait until it is empty. membarrier waits, for each other thread, for a moment at which
 * its buffer is empty. Other stores are only read under a lock, or stored by locked instructions: they need none.
 *
 * Abstracted: a read set is the vector of its readers' clocks (sets are immutable values); the FastTrack2 rule is one
 * step between load and store (it is a pure function); cells have no atomic parts; memory is not cleared. Clocks,
 * mailboxes and the record pool have locks of their own, so that their operations are one step.
 *
 * The judge: ghost vectors of each byte's last reads and writes by thread, compared with the accessing thread's clock
 * when the access begins. Properties:
 *
 *   no false race   when the protocol tells a race on a byte, the ghost has seen one on it      (assertion)
 *   no lost race    when all threads are done, every byte with a race in the ghost was told      (assertion)
 *   no dead end     all threads get done                                                         (end states)
 *   no lost record  when all threads are done, the pool holds every record but the word's        (assertion)
 *
 * Planted faults, each of which must be found: PLANT_NO_RECHECK (a record is believed without looking at the word
 * again), PLANT_NO_MEMBARRIER, PLANT_NO_BUSY (the owner does not announce itself), PLANT_STORE (the word is stored, not
 * compared and swapped), PLANT_EARLY_GIVE (a fold gives the record back before the word lets go of it), PLANT_NO_RESET
 * (a record keeps its old cells when it is used again).
 */
#ifndef K0 /* steps of each thread; without K2 there are two threads */
#define K0 2
#define K1 2
#endif
#ifdef K2
#define N 3
#else
#define N 2
#define K2 0
#endif
#define RECORDS N /* a thread holds at most one that no word names */
#ifndef OWNING
#define OWNING 1 /* 0: every chunk is shared from the start */
#endif

/* --- words and cells:  expanded 1 | R: N clocks of 2 bits | W: slot 2, clock 2.  A cell is a word not expanded. --- */

#define EXPANDED       4096
#define W_OF(w)        ((w) & 15)
#define R_OF(w, u)     (((w) >> (4 + 2 * (u))) & 3)
#define READS(w)       ((w) & (EXPANDED - 1) & ~15)
#define RECORD_OF(w)   ((w) & 15)
#define CLOCK(t, u)    clock[(t) * N + (u)]
#define NOW(t)         ((t) << 2 | CLOCK(t, t))
#define NOW_READ(t)    (CLOCK(t, t) << (4 + 2 * (t)))
#define BEFORE(e, t)   (((e) & 3) <= CLOCK(t, (e) >> 2)) /* epoch e happens before what t does now; 0 always does */

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

byte clock[N * N];
byte mailbox[N];
byte done;

/* --- store buffers --- */

#define TO_BUSY 0
#define TO_WORD 1
chan buffer[N] = [4] of { bit, short };
byte words_buffered[N]; /* stores to the word among them, and the last one's value */
short word_buffered[N];

#define STORE_WORD(v)                                                                                         \
    words_buffered[t]++; word_buffered[t] = v; buffer[t]!TO_WORD, v
#define LOAD_WORD (words_buffered[t] > 0 -> word_buffered[t] : word)
#define DRAINED   (empty(buffer[t]))

proctype Buffer(byte t)
{
    bit what;
    short value;
end:
    do
    :: atomic {
           buffer[t]?what, value ->
           if
           :: what == TO_BUSY -> busy[t] = value
           :: else ->
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

/* --- the judge --- */

byte last_read[2 * N], last_write[2 * N]; /* by byte and thread: the clock */
bool races[2], told[2];

#define COVERS(bytes, b) (((bytes) >> (b)) & 1)

#define JUDGE_PAIR(b, u)                                                                                      \
    if                                                                                                        \
    :: COVERS(bytes, b) && (last_write[(b) * N + (u)] > CLOCK(t, u) ||                                        \
                            (writes && last_read[(b) * N + (u)] > CLOCK(t, u))) -> races[b] = true            \
    :: else                                                                                                   \
    fi

#if N == 3
#define JUDGE(b) JUDGE_PAIR(b, 0); JUDGE_PAIR(b, 1); JUDGE_PAIR(b, 2)
#else
#define JUDGE(b) JUDGE_PAIR(b, 0); JUDGE_PAIR(b, 1)
#endif

#define KEEP(b)                                                                                               \
    if                                                                                                        \
    :: COVERS(bytes, b) && writes -> last_write[(b) * N + t] = CLOCK(t, t)                                    \
    :: COVERS(bytes, b) && !writes -> last_read[(b) * N + t] = CLOCK(t, t)                                    \
    :: else                                                                                                   \
    fi

#define TELL(b)                                                                                               \
    assert(races[b]); /* no false race */                                                                     \
    told[b] = true

/* --- the rules: `old` to `new`; `hit`: it races --- */

#define UNORDERED_READ(u) (R_OF(old, u) > CLOCK(t, u))
#define KEPT_READ(u)      (UNORDERED_READ(u) -> R_OF(old, u) << (4 + 2 * (u)) : 0)
#if N == 3
#define ANY_UNORDERED_READ (UNORDERED_READ(0) || UNORDERED_READ(1) || UNORDERED_READ(2))
#define KEPT_READS         (KEPT_READ(0) | KEPT_READ(1) | KEPT_READ(2))
#else
#define ANY_UNORDERED_READ (UNORDERED_READ(0) || UNORDERED_READ(1))
#define KEPT_READS         (KEPT_READ(0) | KEPT_READ(1))
#endif

inline rule()
{
    if
    :: W_OF(old) == NOW(t) || (!writes && READS(old) == NOW_READ(t)) -> new = old; hit = false
    :: else ->
        hit = !BEFORE(W_OF(old), t) || (writes && ANY_UNORDERED_READ);
        if
        :: writes -> new = NOW(t)
        :: else -> new = KEPT_READS | NOW_READ(t) | W_OF(old)
        fi
    fi
}

inline tell_hits(which)
{
    if
    :: hit && COVERS(which, 0) -> TELL(0)
    :: else
    fi;
    if
    :: hit && COVERS(which, 1) -> TELL(1)
    :: else
    fi;
    hit = false
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
    :: d_step { old = LOAD_WORD; r = (old >= EXPANDED -> RECORD_OF(old) : 0) };
        if
        :: old >= EXPANDED ->
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
    if
    :: new
    :: else ->
        owner_begin();
        record_lock();
        atomic { /* under the lock */
            if
            :: COVERS(bytes, 0) -> cell_access(0)
            :: else
            fi;
            if
            :: COVERS(bytes, 1) -> cell_access(1)
            :: else
            fi
        };
        record_unlock();
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

#if N == 3
#define SOMETHING_NEW (mailbox[0] > CLOCK(t, 0) || mailbox[1] > CLOCK(t, 1) || mailbox[2] > CLOCK(t, 2))
#define JOIN(to, from)                                                                                        \
    to(0) = (from(0) > to(0) -> from(0) : to(0)); to(1) = (from(1) > to(1) -> from(1) : to(1));               \
    to(2) = (from(2) > to(2) -> from(2) : to(2))
#else
#define SOMETHING_NEW (mailbox[0] > CLOCK(t, 0) || mailbox[1] > CLOCK(t, 1))
#define JOIN(to, from)                                                                                        \
    to(0) = (from(0) > to(0) -> from(0) : to(0)); to(1) = (from(1) > to(1) -> from(1) : to(1))
#endif
#define MAILBOX(u) mailbox[u]
#define OWN_CLOCK(u) CLOCK(t, u)

/* Executions that differ only in the names of threads or bytes are looked at once: the first byte that is accessed
 * alone is byte 0, and of threads with equally many steps the first accesses are in descending order. */
byte first_access[N]; /* 0: none yet; 7: it no longer matters */
bool byte_used;
#define ALIKE(a, b)       (K##a == K##b)
#define IN_ORDER(a, b, c) ((t != a || first_access[b] == 0 || c >= first_access[b]) &&                        \
                           (t != b || first_access[a] == 0 || c <= first_access[a]))
#if N == 3
#define ALL_IN_ORDER(c) ((!ALIKE(0, 1) || IN_ORDER(0, 1, c)) && (!ALIKE(1, 2) || IN_ORDER(1, 2, c)) &&        \
                         (!ALIKE(0, 2) || IN_ORDER(0, 2, c)))
#define ALL_CHOSEN ((!ALIKE(0, 1) && !ALIKE(0, 2) || first_access[0] != 0) && (!ALIKE(1, 2) && !ALIKE(0, 1) || \
                    first_access[1] != 0) && (!ALIKE(1, 2) && !ALIKE(0, 2) || first_access[2] != 0))
#define FORGET_ORDER first_access[0] = 7; first_access[1] = 7; first_access[2] = 7
#else
#define ALL_IN_ORDER(c) (!ALIKE(0, 1) || IN_ORDER(0, 1, c))
#define ALL_CHOSEN (!ALIKE(0, 1) || (first_access[0] != 0 && first_access[1] != 0))
#define FORGET_ORDER first_access[0] = 7; first_access[1] = 7
#endif
#define ALLOWED(c) (first_access[t] != 0 || ALL_IN_ORDER(c))
#define CHOOSE(c, w, b)                                                                                       \
    first_access[t] = (first_access[t] == 0 -> c : first_access[t]); writes = w; bytes = b;                  \
    byte_used = byte_used || (b != 3);                                                                        \
    if                                                                                                        \
    :: ALL_CHOSEN -> FORGET_ORDER                                                                             \
    :: else                                                                                                   \
    fi

proctype Thread(byte t)
{
    short old, new;
    byte left = (t == 0 -> K0 : (t == 1 -> K1 : K2)), bytes, r, was;
    bool writes, own, hit, expanded, accessed, again;
    do
    :: left == 0 -> break
    :: accessed && left > 0 && CLOCK(t, t) < 3 -> /* release: publish, tick */
        atomic { DRAINED -> JOIN(MAILBOX, OWN_CLOCK); CLOCK(t, t)++; left--; accessed = false }
    :: left > 1 && SOMETHING_NEW -> /* acquire */
        atomic { DRAINED -> JOIN(OWN_CLOCK, MAILBOX); left-- }
    :: left > 0 ->
        atomic {
            left--;
            again = accessed;
            accessed = true;
            if
            :: ALLOWED(1) -> CHOOSE(1, false, 1)
            :: ALLOWED(2) -> CHOOSE(2, true, 1)
            :: ALLOWED(3) && byte_used -> CHOOSE(3, false, 2)
            :: ALLOWED(4) && byte_used -> CHOOSE(4, true, 2)
            :: ALLOWED(5) -> CHOOSE(5, false, 3)
            :: ALLOWED(6) -> CHOOSE(6, true, 3)
            fi;
            JUDGE(0);
            JUDGE(1);
            KEEP(0);
            KEEP(1)
        };
        if
        :: again -> same_epoch()
        :: else /* the word cannot hold an epoch in which the thread has accessed nothing */
        fi;
        if
        :: new
        :: else ->
            expanded = true;
            if
            :: bytes == 3 -> whole_word()
            :: else
            fi;
            if
            :: expanded -> recorded_bytes()
            :: else
            fi
        fi;
        atomic { bytes = 0; writes = false; expanded = false; again = false; new = 0 }
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
        assert(!races[0] || told[0]); /* no lost race */
        assert(!races[1] || told[1]);
        assert(pooled[0] || word == EXPANDED); /* no lost record */
        assert(pooled[1] || word == (EXPANDED | 1))
#if N == 3
        ; assert(pooled[2] || word == (EXPANDED | 2))
#endif
    }
}
