/* Random tapes (trace/tape.h), which accesses of them race by definition, and the trace that they become.
 *
 * Threads read and write some 24 bytes in parts of 1 to 9, atomically or not; compare; clear and move memory;
 * post and learn; take locks and give them up. Each access has a return address of its own, by which it is known again in the races of the
 * trace. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/output.h"
#include "detect/detectors.h"
#include "replay/analyze.h"
#include "trace/tape_decode.h"
#include "trace/transcribe.h"

enum {
    THREADS = 4,
    STEPS = 60,
    BYTES = 24,
    POSTS = 6,
    LOCKS = 2,
    PAGE = 4096,
    BASE = 0x10000,
    FIRST_PC = 0x7000
};

static uint64_t seed;

static unsigned below(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (unsigned)(seed >> 33) % n;
}

/* --- the definition --- */

/* What a thread knows: how many steps of each. */
struct clock {
    unsigned of[THREADS];
};

struct access {
    unsigned thread, when; /* step of that thread */
    int how;               /* enum tape_how */
    unsigned number;
};

enum { MOST = 2 * STEPS };

static struct clock now[THREADS], posted[POSTS + LOCKS];
static bool is_posted[POSTS + LOCKS], has_ended[THREADS];
static struct access seen[2][BYTES][MOST]; /* on two pages */
static unsigned seen_count[2][BYTES];
static bool racy[STEPS + 1]; /* by number of the access: does it race with an earlier one? */
static bool racy_pair[STEPS + 1][STEPS + 1];

static bool ordered(const struct access *e, unsigned thread)
{
    return e->thread == thread || e->when <= now[thread].of[e->thread];
}

static bool conflict(int a, int b)
{
    if (a == TAPE_WRITE || b == TAPE_WRITE)
        return true;
    return (a == TAPE_READ && b == TAPE_ATOMIC_WRITE) || (a == TAPE_ATOMIC_WRITE && b == TAPE_READ);
}

/* A comparison is with the latest plain write: if an earlier one is unordered with it, so is the latest, or
 * those two race. */
static void define_compare(unsigned thread, unsigned page, unsigned byte, unsigned number)
{
    for (unsigned i = seen_count[page][byte]; i-- > 0;)
        if (seen[page][byte][i].how == TAPE_WRITE) {
            racy[number] |= !ordered(&seen[page][byte][i], thread);
            return;
        }
}

static void define_access(unsigned thread, unsigned page, unsigned byte, int how, unsigned number)
{
    unsigned *count = &seen_count[page][byte];
    for (unsigned i = 0; i < *count; i++) {
        const struct access *e = &seen[page][byte][i];
        if (!ordered(e, thread) && conflict(e->how, how))
            racy[number] = racy_pair[e->number][number] = racy_pair[number][e->number] = true;
    }
    assert_true(*count < MOST);
    seen[page][byte][(*count)++] = (struct access){thread, now[thread].of[thread], how, number};
}

/* --- a random tape --- */

static struct tape_slot tape[2 * STEPS + THREADS];
static size_t length;

static unsigned some_thread(void)
{
    unsigned thread = below(THREADS);
    return has_ended[thread] ? 0 : thread;
}

static struct tape_slot *add(enum tape_op op, unsigned how, unsigned thread)
{
    tape[length] = (struct tape_slot){.op = (uint8_t)op, .how = (uint8_t)how, .thread = thread};
    return &tape[length++];
}

static void make_access(unsigned number)
{
    unsigned thread = some_thread(), page = below(4) == 0, size = 1u << below(4),
             from = below(BYTES / size) * size;
    unsigned how = below(3) > 0 ? below(2) : below(4);
    if (below(4) == 0) { /* not aligned */
        size = 1 + below(9);
        from = below(BYTES - size);
    }
    bool compares = below(12) == 0;
    size = compares ? 1 : size;
    now[thread].of[thread]++;
    struct tape_slot *s = add(compares ? TAPE_COMPARE : TAPE_ACCESS, how, thread);
    s->a = BASE + page * PAGE + from;
    s->b = number; /* each access has a site of its own */
    s->c = compares ? 0 : size;
    for (unsigned byte = from; byte < from + size; byte++)
        if (compares)
            define_compare(thread, page, byte, number);
        else
            define_access(thread, page, byte, (int)how, number);
}

static void make_post(void)
{
    unsigned thread = some_thread(), id = below(POSTS);
    if (is_posted[id]) {
        add(TAPE_DROP, 0, 0)->a = id;
        is_posted[id] = false;
        return;
    }
    add(TAPE_POST, 0, thread)->a = id;
    posted[id] = now[thread];
    is_posted[id] = true;
}

static void learn(unsigned thread, const struct clock *what)
{
    for (unsigned i = 0; i < THREADS; i++)
        if (what->of[i] > now[thread].of[i])
            now[thread].of[i] = what->of[i];
}

static void make_join(void)
{
    unsigned thread = some_thread(), ended = 1 + below(THREADS - 1);
    if (has_ended[ended] || ended == thread)
        return;
    add(TAPE_SYNC, OP_JOIN, thread)->a = ended;
    learn(thread, &now[ended]);
    has_ended[ended] = true;
}

static void make_learn(void)
{
    unsigned thread = some_thread(), id = below(POSTS);
    if (!is_posted[id])
        return;
    add(TAPE_LEARN, 0, thread)->a = id;
    learn(thread, &posted[id]);
}

/* A lock is taken and given up: what it has is posted under an id of its own. */
static void make_turn(void)
{
    unsigned thread = some_thread(), id = POSTS + below(LOCKS);
    if (is_posted[id]) {
        add(TAPE_LEARN, 0, thread)->a = id;
        learn(thread, &posted[id]);
    }
    add(TAPE_POST, is_posted[id], thread)->a = id;
    posted[id] = now[thread];
    is_posted[id] = true;
}

/* Half of the time the memory goes back to the kernel: a write to what is known of it comes first. */
static void make_clear(unsigned number)
{
    unsigned page = below(2), from = below(BYTES / 4) * 4, size = 4 * (1 + below(3));
    if (below(2)) {
        unsigned thread = some_thread();
        now[thread].of[thread]++;
        struct tape_slot *w = add(TAPE_ACCESS, TAPE_WRITE | TAPE_KNOWN_ONLY, thread);
        w->a = BASE + page * PAGE + from;
        w->b = number;
        w->c = size;
        for (unsigned byte = from; byte < from + size && byte < BYTES; byte++)
            define_access(thread, page, byte, TAPE_WRITE, number);
    }
    struct tape_slot *s = add(TAPE_CLEAR, 0, 0);
    s->a = BASE + page * PAGE + from;
    s->b = size;
    for (unsigned byte = from; byte < from + size && byte < BYTES; byte++)
        seen_count[page][byte] = 0;
}

static void make_move(void)
{
    unsigned from = below(2);
    struct tape_slot *s = add(TAPE_MOVE, 0, 0);
    s->a = BASE + from * PAGE;
    s->b = BASE + !from * PAGE;
    s->c = PAGE;
    memcpy(seen[!from], seen[from], sizeof seen[from]);
    memcpy(seen_count[!from], seen_count[from], sizeof seen_count[from]);
    memset(seen_count[from], 0, sizeof seen_count[from]);
}

static void make_tape(void)
{
    memset(now, 0, sizeof now);
    memset(is_posted, 0, sizeof is_posted);
    memset(has_ended, 0, sizeof has_ended);
    memset(seen_count, 0, sizeof seen_count);
    memset(racy, 0, sizeof racy);
    memset(racy_pair, 0, sizeof racy_pair);
    memset(tape, 0, sizeof tape);
    length = 0;
    for (unsigned i = 1; i < THREADS; i++)
        add(TAPE_SYNC, OP_FORK, 0)->a = i;
    for (unsigned i = 1; i <= STEPS; i++) {
        unsigned what = below(18);
        if (what < 9)
            make_access(i);
        else if (what < 11)
            make_post();
        else if (what < 14)
            make_learn();
        else if (what < 17)
            make_turn();
        else if (below(2))
            make_clear(i);
        else if (below(4) == 0)
            make_move();
        else if (below(8) == 0)
            make_join();
    }
}

/* --- its trace --- */

static char path[64];

static void learn_sites(struct book *book)
{
    for (unsigned i = 1; i <= STEPS; i++) /* return addresses are behind their place */
        book_record(book, &(struct tape_slot){.op = TAPE_SITE, .a = i, .b = FIRST_PC + i + 1});
}

static void transcribe(void)
{
    struct problem problem = {.reason = ""};
    struct output output;
    struct names names;
    struct book *book = book_new();
    bool good = true;
    names_init(&names);
    learn_sites(book);
    struct transcript *t = transcript_new(&names, book);
    for (size_t i = 0; i < length; i++) {
        assert_true(tape_is_sound(&tape[i]));
        transcript_look(t, &tape[i]);
    }
    assert_true(output_open(&output, path, &writer_pft, true, &problem));
    transcript_again(t);
    for (size_t i = 0; i < length && good; i++) {
        size_t count;
        good = transcript_write(t, &tape[i], &problem);
        const struct event *events = transcript_events(t, &count);
        good = good && output_put(&output, &names, events, count, &problem);
    }
    if (!good)
        fail_msg("seed: %s", problem.reason);
    assert_true(output_close(&output, true, &problem));
    transcript_free(t);
    book_free(book);
    names_free(&names);
}

static unsigned number_at(const struct names *names, uint32_t location)
{
    char digits[16], text[32];
    struct name name = names_location(names, location, digits);
    assert_true(name.length < sizeof text);
    memcpy(text, name.text, name.length);
    text[name.length] = '\0';
    return (unsigned)(strtoul(text, NULL, 16) - FIRST_PC);
}
