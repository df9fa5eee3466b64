#include "trace/transcribe.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/map.h"
#include "trace/feasible.h"
#include "trace/lives.h"

enum { GROUP = 8, LONGEST_NAME = 512 };

/* A thread that writes a life atomically. */
struct storer {
    uint32_t thread, next; /* of the same life: index + 1; 0: none */
    uint32_t variables;    /* the first of V~T, + 1; 0: not named yet */
};

/* What was posted under an id: by whom, as which volatile + 1; 0: it is dropped. */
struct post {
    uint32_t thread, cell;
};

/* Volatiles that a thread may write again: it knows all that they hold. Who has joined it inherits them. */
struct mailbox {
    uint32_t *free;
    size_t free_count, capacity;
    uint32_t heir; /* thread + 1; 0: none */
};

struct transcript {
    struct mem mem;
    struct lives *lives;
    struct book *book;
    struct names *names;
    /* storers */
    struct map storers; /* by life: index + 1 of the first */
    struct storer *storer;
    size_t storer_count, storer_capacity;
    /* the second time */
    struct feasible *feasible;
    bool failed;
    uint64_t events; /* before those of this slot */
    struct problem problem;
    uint32_t *variables; /* by life: the first of V, + 1 */
    size_t variables_capacity;
    struct map latest;    /* by life * GROUP + piece: the latest V?n, + 1 */
    struct map addresses; /* how many variables have begun at an address */
    uint32_t latest_count;
    struct map posts; /* ids to indices */
    struct post *post;
    size_t post_capacity;
    struct mailbox *mailbox; /* by thread */
    size_t mailbox_capacity;
    struct map threads;  /* by number: id of its name, + 1 */
    struct event *event; /* of the latest slot */
    size_t event_count, event_capacity;
};

struct transcript *transcript_new(struct names *names, struct book *book)
{
    struct mem mem = {0};
    struct transcript *t = mem_alloc(&mem, sizeof *t);
    t->mem = mem;
    t->lives = lives_new();
    t->names = names;
    t->book = book;
    return t;
}

void transcript_free(struct transcript *t)
{
    lives_free(t->lives);
    feasible_free(t->feasible);
    mem_free(&t->mem, t->event, t->event_capacity * sizeof *t->event);
    for (size_t i = 0; i < t->mailbox_capacity; i++)
        mem_free(&t->mem, t->mailbox[i].free, t->mailbox[i].capacity * sizeof *t->mailbox[i].free);
    mem_free(&t->mem, t->mailbox, t->mailbox_capacity * sizeof *t->mailbox);
    mem_free(&t->mem, t->storer, t->storer_capacity * sizeof *t->storer);
    mem_free(&t->mem, t->variables, t->variables_capacity * sizeof *t->variables);
    mem_free(&t->mem, t->post, t->post_capacity * sizeof *t->post);
    map_free(&t->posts, &t->mem);
    map_free(&t->threads, &t->mem);
    map_free(&t->storers, &t->mem);
    map_free(&t->latest, &t->mem);
    map_free(&t->addresses, &t->mem);
    struct mem mem = t->mem;
    mem_free(&mem, t, sizeof *t);
}

/* --- slots --- */

/* What changes the memory, the same both times; true: it was that. */
static bool changes_memory(struct transcript *t, const struct tape_slot *s)
{
    if (s->op == TAPE_CLEAR)
        lives_clear(t->lives, s->a, s->b);
    else if (s->op == TAPE_MOVE)
        lives_move(t->lives, s->a, s->b, s->c);
    else
        return false;
    return true;
}

/* --- the first time --- */

struct look {
    struct transcript *t;
    const struct tape_slot *slot;
};

static void add_storer(struct transcript *t, uint32_t life, uint32_t thread)
{
    uint32_t *first = map_at(&t->storers, &t->mem, life);
    for (uint32_t i = *first; i != 0; i = t->storer[i - 1].next)
        if (t->storer[i - 1].thread == thread)
            return;
    t->storer = mem_reserve(&t->mem, t->storer, sizeof *t->storer, &t->storer_capacity, t->storer_count + 1);
    t->storer[t->storer_count++] = (struct storer){.thread = thread, .next = *first};
    *first = (uint32_t)t->storer_count;
}

static void look_at(void *context, uint32_t life, uintptr_t base, unsigned from, unsigned to)
{
    const struct look *l = context;
    (void)base;
    lives_cut(l->t->lives, life, from, to);
    if (l->slot->op == TAPE_COMPARE) {
        *lives_facts(l->t->lives, life) |= LIFE_COMPARED;
    } else if ((l->slot->how & TAPE_HOW) == TAPE_ATOMIC_WRITE) {
        *lives_facts(l->t->lives, life) |= LIFE_STORED;
        add_storer(l->t, life, l->slot->thread);
    }
}

static void each(struct transcript *t, const struct tape_slot *s, lives_visit *visit, void *context)
{
    bool compare = s->op == TAPE_COMPARE;
    lives_each(t->lives, s->a, compare ? 1 : s->c, !compare && !(s->how & TAPE_KNOWN_ONLY), visit, context);
}

void transcript_look(struct transcript *t, const struct tape_slot *s)
{
    if (!changes_memory(t, s) && (s->op == TAPE_ACCESS || s->op == TAPE_COMPARE))
        each(t, s, look_at, &(struct look){t, s});
}

/* --- the second time: events --- */

void transcript_again(struct transcript *t)
{
    lives_again(t->lives);
    t->feasible = feasible_new(t->names, false);
}

static bool is_lock_op(enum op op)
{
    return op == OP_ACQUIRE || op == OP_RELEASE || op == OP_READ_ACQUIRE || op == OP_READ_RELEASE;
}

/* A program may do to locks what no trace can say (give up another thread's); order does not rest on them. */
static void put_event(struct transcript *t, enum op op, uint32_t thread, uint32_t target, uint32_t location)
{
    struct event e = {.thread = thread, .target = target, .location = location, .op = (uint8_t)op},
                 checked = e;
    struct problem problem;
    if (t->failed)
        return;
    if (feasible_check(t->feasible, &checked, 1, &problem) == 0) {
        if (!is_lock_op(op))
            t->failed = !problem_set(&t->problem, t->events + t->event_count + 1, "%s", problem.reason);
        return;
    }
    t->event = mem_reserve(&t->mem, t->event, sizeof e, &t->event_capacity, t->event_count + 1);
    t->event[t->event_count++] = e;
}

/* Different variables of the program may have one name, in different files: then they are x, x'2, x'3 ... */
static uint32_t new_name(struct transcript *t, enum name_class class, const char *text)
{
    char other[LONGEST_NAME + 64];
    size_t before = t->names->of[class].count;
    if (names_full(t->names, class))
        tool_failed("the recorded program has too many variables for a trace");
    uint32_t id = names_id(t->names, class, text, strlen(text));
    for (unsigned i = 2; t->names->of[class].count == before; i++) {
        int length = snprintf(other, sizeof other, "%s'%u", text, i);
        id = names_id(t->names, class, other, (size_t)length);
    }
    return id;
}

static uint32_t thread_of(struct transcript *t, uint32_t number)
{
    uint32_t *id = map_at(&t->threads, &t->mem, number);
    if (*id == 0) {
        char text[16];
        snprintf(text, sizeof text, "T%" PRIu32, number);
        *id = new_name(t, NAME_THREAD, text) + 1;
    }
    return *id - 1;
}

/* --- variables --- */

static unsigned piece_before(unsigned cuts, unsigned byte)
{
    return (unsigned)__builtin_popcount(cuts & ((2u << byte) - 1));
}

/* Different ones at the same address, one after the other, are x, x#2, x#3 ... */
static void address_text(struct transcript *t, uintptr_t address, bool count, char *text, size_t size)
{
    book_variable(t->book, address, text, size);
    uint32_t *times = map_at(&t->addresses, &t->mem, address);
    *times += count || *times == 0;
    size_t length = strlen(text);
    if (*times > 1)
        snprintf(text + length, size - length, "#%" PRIu32, *times);
}

/* Names for all pieces of a life; the first one's id. */
static uint32_t name_pieces(struct transcript *t, uint32_t life, uintptr_t base, const char *suffix,
                            bool count)
{
    unsigned cuts = *lives_facts(t->lives, life) & LIFE_CUTS;
    uint32_t first = (uint32_t)t->names->of[NAME_VARIABLE].count;
    for (unsigned byte = 0; byte < GROUP; byte++)
        if (byte == 0 || cuts & 1u << byte) {
            char text[LONGEST_NAME + 32];
            address_text(t, base + byte, count, text, LONGEST_NAME);
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s", suffix);
            new_name(t, NAME_VARIABLE, text);
        }
    return first;
}

static uint32_t plain_of(struct transcript *t, uint32_t life, uintptr_t base)
{
    t->variables =
        mem_reserve(&t->mem, t->variables, sizeof *t->variables, &t->variables_capacity, (size_t)life + 1);
    if (t->variables[life] == 0)
        t->variables[life] = name_pieces(t, life, base, "", true) + 1;
    return t->variables[life] - 1;
}

static uint32_t stored_of(struct transcript *t, struct storer *s, uint32_t life, uintptr_t base)
{
    if (s->variables == 0) {
        char suffix[16];
        snprintf(suffix, sizeof suffix, "~T%" PRIu32, s->thread);
        plain_of(t, life, base); /* is the one that counts */
        s->variables = name_pieces(t, life, base, suffix, false) + 1;
    }
    return s->variables - 1;
}

static uint32_t new_latest(struct transcript *t, uint32_t life, uintptr_t base, unsigned byte, unsigned piece)
{
    char text[LONGEST_NAME + 32];
    plain_of(t, life, base);
    address_text(t, base + byte, false, text, LONGEST_NAME);
    snprintf(text + strlen(text), sizeof text - strlen(text), "?%" PRIu32, ++t->latest_count);
    uint32_t id = new_name(t, NAME_VARIABLE, text);
    *map_at(&t->latest, &t->mem, (uint64_t)life * GROUP + piece) = id + 1;
    return id;
}

/* --- accesses: the table of transcribe.h --- */

struct step {
    struct transcript *t;
    const struct tape_slot *slot;
    uint32_t thread, location;
};

static void put_access(const struct step *s, bool write, uint32_t variable)
{
    put_event(s->t, write ? OP_WRITE : OP_READ, s->thread, variable, s->location);
}

static struct storer *first_storer(const struct transcript *t, uint32_t life)
{
    uint32_t first = map_get(&t->storers, life);
    return first != 0 ? &t->storer[first - 1] : NULL;
}

static struct storer *next_storer(const struct transcript *t, const struct storer *s)
{
    return s->next != 0 ? &t->storer[s->next - 1] : NULL;
}

static void access_stored(const struct step *s, uint32_t life, uintptr_t base, unsigned piece)
{
    unsigned how = s->slot->how & TAPE_HOW;
    for (struct storer *w = first_storer(s->t, life); w != NULL; w = next_storer(s->t, w))
        if ((w->thread == s->slot->thread) == (how == TAPE_ATOMIC_WRITE))
            put_access(s, how != TAPE_READ, stored_of(s->t, w, life, base) + piece);
}

static void compare_piece(const struct step *s, uint32_t life, unsigned piece)
{
    uint32_t latest = map_get(&s->t->latest, (uint64_t)life * GROUP + piece);
    if (latest != 0)
        put_access(s, false, latest - 1);
}

static void access_piece(const struct step *s, uint32_t life, uintptr_t base, unsigned byte, unsigned piece)
{
    unsigned how = s->slot->how & TAPE_HOW, facts = *lives_facts(s->t->lives, life);
    if (s->slot->op == TAPE_COMPARE) {
        compare_piece(s, life, piece);
        return;
    }
    if (how != TAPE_ATOMIC_WRITE)
        put_access(s, how == TAPE_WRITE, plain_of(s->t, life, base) + piece);
    if (facts & LIFE_STORED && how != TAPE_ATOMIC_READ)
        access_stored(s, life, base, piece);
    if (facts & LIFE_COMPARED && how == TAPE_WRITE)
        put_access(s, true, new_latest(s->t, life, base, byte, piece));
}

static void access_part(void *context, uint32_t life, uintptr_t base, unsigned from, unsigned to)
{
    const struct step *s = context;
    unsigned cuts = *lives_facts(s->t->lives, life) & LIFE_CUTS;
    for (unsigned byte = from; byte < to; byte++)
        if (byte == from || cuts & 1u << byte)
            access_piece(s, life, base, byte, piece_before(cuts, byte));
}

static void write_access(struct transcript *t, const struct tape_slot *slot)
{
    struct step s = {.t = t,
                     .slot = slot,
                     .thread = thread_of(t, slot->thread),
                     .location = book_location(t->book, t->names, (uint32_t)slot->b)};
    each(t, slot, access_part, &s);
}

/* --- synchronization --- */

static struct mailbox *mailbox_of(struct transcript *t, uint32_t thread)
{
    t->mailbox =
        mem_reserve(&t->mem, t->mailbox, sizeof *t->mailbox, &t->mailbox_capacity, (size_t)thread + 1);
    return &t->mailbox[thread];
}

static void give_back(struct transcript *t, struct mailbox *m, uint32_t cell)
{
    m->free = mem_reserve(&t->mem, m->free, sizeof *m->free, &m->capacity, m->free_count + 1);
    m->free[m->free_count++] = cell;
}

static uint32_t new_cell(struct transcript *t)
{
    char text[16];
    snprintf(text, sizeof text, "P%zu", t->names->of[NAME_VOLATILE].count + 1);
    return new_name(t, NAME_VOLATILE, text);
}

static void post(struct transcript *t, uint32_t thread, uint32_t id)
{
    size_t index = map_number(&t->posts, &t->mem, id);
    t->post = mem_reserve(&t->mem, t->post, sizeof *t->post, &t->post_capacity, index + 1);
    struct mailbox *m = mailbox_of(t, thread);
    uint32_t cell = m->free_count > 0 ? m->free[--m->free_count] : new_cell(t);
    t->post[index] = (struct post){.thread = thread, .cell = cell + 1};
    put_event(t, OP_VWRITE, thread, cell, NO_LOCATION);
}

/* NULL: of what was posted before the tape began everything is ordered before all that is on it. */
static struct post *find_post(const struct transcript *t, uint64_t id)
{
    uint32_t index = map_get(&t->posts, id);
    return index != 0 && t->post[index - 1].cell != 0 ? &t->post[index - 1] : NULL;
}

static void learn(struct transcript *t, uint32_t thread, uint64_t id)
{
    const struct post *p = find_post(t, id);
    if (p != NULL)
        put_event(t, OP_VREAD, thread_of(t, thread), p->cell - 1, NO_LOCATION);
}

static void drop(struct transcript *t, uint64_t id)
{
    struct post *p = find_post(t, id);
    if (p == NULL)
        return;
    struct mailbox *m = &t->mailbox[p->thread];
    while (m->heir != 0)
        m = &t->mailbox[m->heir - 1];
    give_back(t, m, p->cell - 1);
    *p = (struct post){0};
}

static void inherit(struct transcript *t, uint32_t joiner, uint32_t ended)
{
    mailbox_of(t, joiner > ended ? joiner : ended);
    struct mailbox *from = &t->mailbox[ended];
    while (from->free_count > 0)
        give_back(t, &t->mailbox[joiner], from->free[--from->free_count]);
    mem_free(&t->mem, from->free, from->capacity * sizeof *from->free);
    *from = (struct mailbox){.heir = joiner + 1};
}

static uint32_t lock_of(struct transcript *t, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "L%" PRIu64, number);
    return names_id(t->names, NAME_LOCK, text, strlen(text));
}

static void write_sync(struct transcript *t, const struct tape_slot *s)
{
    uint32_t thread = thread_of(t, s->thread), target = NO_TARGET;
    if (s->how == OP_FORK || s->how == OP_JOIN)
        target = thread_of(t, (uint32_t)s->a);
    else if (is_lock_op(s->how))
        target = lock_of(t, s->a);
    else if (s->how != OP_DUMMY)
        return;
    put_event(t, s->how, thread, target, NO_LOCATION);
    if (s->how == OP_JOIN && target != thread)
        inherit(t, thread, target);
}

static void write_slot(struct transcript *t, const struct tape_slot *s)
{
    switch (s->op) {
    case TAPE_ACCESS:
    case TAPE_COMPARE:
        write_access(t, s);
        break;
    case TAPE_SYNC:
        write_sync(t, s);
        break;
    case TAPE_POST:
        if (s->how != 0)
            drop(t, s->a);
        post(t, thread_of(t, s->thread), (uint32_t)s->a);
        break;
    case TAPE_LEARN:
        learn(t, s->thread, s->a);
        break;
    case TAPE_DROP:
        drop(t, s->a);
        break;
    default:
        changes_memory(t, s);
    }
}

bool transcript_write(struct transcript *t, const struct tape_slot *slot, struct problem *problem)
{
    t->events += t->event_count;
    t->event_count = 0;
    write_slot(t, slot);
    *problem = t->problem;
    return !t->failed;
}

const struct event *transcript_events(const struct transcript *t, size_t *count)
{
    *count = t->event_count;
    return t->event;
}
