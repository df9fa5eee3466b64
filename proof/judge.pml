/* What all models of the shadow have in common: threads with clocks, the FastTrack2 rule, and a judge who knows better.
 *
 * A model has two *places*, each of which has a state (the bytes of one word in shadow.pml and bytes.pml, whole words elsewhere), and
 * threads that make K0, K1 (and K2) steps. A step accesses a set of places (a mask), releases into the one sync object,
 * or acquires from it.
 *
 * The judge: ghost vectors of each place's last reads and writes by thread, compared with the accessing thread's clock
 * when the access begins. Properties, in every model:
 *
 *   no false race   when the protocol tells a race on a place, the ghost has seen one on it     (assertion)
 *   no lost race    when all threads are done, every place with a race in the ghost was told     (assertion)
 *   no dead end     all threads get done                                                         (end states)
 *
 * DRAINED, of the model: the thread's stores have all been made (a locked instruction waits for that).
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

/* --- states of a place:  R: N clocks of 2 bits | W: slot 2, clock 2 --- */

#define STATES         4096 /* they are lower */
#define W_OF(w)        ((w) & 15)
#define R_OF(w, u)     (((w) >> (4 + 2 * (u))) & 3)
#define READS(w)       ((w) & (STATES - 1) & ~15)
#define CLOCK(t, u)    clock[(t) * N + (u)]
#define NOW(t)         ((t) << 2 | CLOCK(t, t))
#define NOW_READ(t)    (CLOCK(t, t) << (4 + 2 * (t)))
#define BEFORE(e, t)   (((e) & 3) <= CLOCK(t, (e) >> 2)) /* epoch e happens before what t does now; 0 always does */

byte clock[N * N];
byte mailbox[N];
byte done;

/* --- the judge --- */

byte last_read[2 * N], last_write[2 * N]; /* by place and thread: the clock */
bool races[2], told[2];

#define COVERS(places, b) (((places) >> (b)) & 1)

#define JUDGE_PAIR(b, u)                                                                                      \
    if                                                                                                        \
    :: COVERS(places, b) && (last_write[(b) * N + (u)] > CLOCK(t, u) ||                                        \
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
    :: COVERS(places, b) && writes -> last_write[(b) * N + t] = CLOCK(t, t)                                    \
    :: COVERS(places, b) && !writes -> last_read[(b) * N + t] = CLOCK(t, t)                                    \
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

/* --- the steps of a thread --- */

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

/* Executions that differ only in the names of threads or places are looked at once: the first place that is accessed
 * alone is place 0, and of threads with equally many steps the first accesses are in descending order. */
byte first_access[N]; /* 0: none yet; 7: it no longer matters */
bool place_used;
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
    first_access[t] = (first_access[t] == 0 -> c : first_access[t]); writes = w; places = b;                  \
    place_used = place_used || (b != 3);                                                                        \
    if                                                                                                        \
    :: ALL_CHOSEN -> FORGET_ORDER                                                                             \
    :: else                                                                                                   \
    fi

#define THREAD_VARIABLES                                                                                      \
    short old, new;                                                                                           \
    byte left = (t == 0 -> K0 : (t == 1 -> K1 : K2)), places;                                                 \
    bool writes, hit, accessed, again

/* `again`: the thread has accessed something in this epoch. */
inline choose_access(several)
{
    left--;
    again = accessed;
    accessed = true;
    if
    :: ALLOWED(1) -> CHOOSE(1, false, 1)
    :: ALLOWED(2) -> CHOOSE(2, true, 1)
    :: ALLOWED(3) && place_used -> CHOOSE(3, false, 2)
    :: ALLOWED(4) && place_used -> CHOOSE(4, true, 2)
    :: several && ALLOWED(5) -> CHOOSE(5, false, 3)
    :: several && ALLOWED(6) -> CHOOSE(6, true, 3)
    fi;
    JUDGE(0);
    JUDGE(1);
    KEEP(0);
    KEEP(1)
}

#define CAN_RELEASE (accessed && left > 0 && CLOCK(t, t) < 3)
#define CAN_ACQUIRE (left > 1 && SOMETHING_NEW)

inline release() /* publish, tick */
{
    atomic { DRAINED -> JOIN(MAILBOX, OWN_CLOCK); CLOCK(t, t)++; left--; accessed = false }
}

inline acquire()
{
    atomic { DRAINED -> JOIN(OWN_CLOCK, MAILBOX); left-- }
}

inline judge_at_the_end()
{
    assert(!races[0] || told[0]); /* no lost race */
    assert(!races[1] || told[1])
}
