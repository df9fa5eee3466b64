/* Random tapes become traces in which exactly those accesses race that do by definition: byte by byte, each
 * pair.
 *
 * Threads read and write some 24 bytes in parts of 1 to 9, atomically or not; compare; clear and move memory;
 * post and learn. Each access has a return address of its own, by which it is known again in the races of the
 * trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/transcribe.h"
#include "detect/detectors.h"
#include "replay/analyze.h"

enum { THREADS = 4, STEPS = 60, BYTES = 24, POSTS = 6, PAGE = 4096, BASE = 0x10000, FIRST_PC = 0x7000 };

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
};

enum { MOST = 2 * STEPS };

static struct clock now[THREADS], posted[POSTS];
static bool is_posted[POSTS], has_ended[THREADS];
static struct access seen[2][BYTES][MOST]; /* on two pages */
static unsigned seen_count[2][BYTES];
static bool racy[STEPS + 1]; /* by number of the access: does it race with an earlier one? */

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
        racy[number] |= !ordered(e, thread) && conflict(e->how, how);
    }
    assert_true(*count < MOST);
    seen[page][byte][(*count)++] = (struct access){thread, now[thread].of[thread], how};
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
    s->b = FIRST_PC + number + 1; /* return addresses are behind their place */
    s->c = compares ? 0 : (uint64_t)size << 32;
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

/* Half of the time the memory goes back to the kernel: a write to what is known of it comes first. */
static void make_clear(unsigned number)
{
    unsigned page = below(2), from = below(BYTES / 4) * 4, size = 4 * (1 + below(3));
    if (below(2)) {
        unsigned thread = some_thread();
        now[thread].of[thread]++;
        struct tape_slot *w = add(TAPE_ACCESS, TAPE_WRITE | TAPE_KNOWN_ONLY, thread);
        w->a = BASE + page * PAGE + from;
        w->b = FIRST_PC + number + 1;
        w->c = (uint64_t)size << 32;
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
    memset(tape, 0, sizeof tape);
    length = 0;
    for (unsigned i = 1; i < THREADS; i++)
        add(TAPE_SYNC, OP_FORK, 0)->a = i;
    for (unsigned i = 1; i <= STEPS; i++) {
        unsigned what = below(16);
        if (what < 9)
            make_access(i);
        else if (what < 11)
            make_post();
        else if (what < 14)
            make_learn();
        else if (what < 15)
            make_clear(i);
        else if (below(4) == 0)
            make_move();
        else if (below(8) == 0)
            make_join();
    }
}

/* --- its trace --- */

static char path[64];

static void transcribe(void)
{
    struct problem problem = {.reason = ""};
    struct output output;
    struct transcript *t = transcript_new();
    assert_int_equal(transcript_sound(tape, length), length);
    transcript_look(t, tape, length);
    assert_true(output_open(&output, path, &writer_pft, true, &problem));
    transcript_again(t, &output);
    bool good = transcript_write(t, tape, length, &problem) && transcript_end(t, &problem);
    if (!good)
        fail_msg("seed: %s", problem.reason);
    assert_true(output_close(&output, true, &problem));
    transcript_free(t);
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

static void compare(uint64_t first_seed)
{
    struct problem problem;
    bool found[STEPS + 1] = {false};
    struct analysis a = {.path = path, .detector = &detector_oracle, .all = true};
    if (!analysis_run(&a, &problem))
        fail_msg("seed %lu: %s", (unsigned long)first_seed, problem.reason);
    for (size_t i = 0; i < a.replay.race_count; i++)
        found[number_at(&a.reader.names, a.replay.race[i].second.location)] = true;
    analysis_free(&a);
    for (unsigned i = 1; i <= STEPS; i++)
        if (found[i] != racy[i])
            fail_msg("seed %lu: access %u: %s", (unsigned long)first_seed, i,
                     racy[i] ? "its race is not in the trace" : "a race that there is not");
}

#ifdef __SANITIZE_ADDRESS__
enum { TAPES = 60 };
#else
enum { TAPES = 300 };
#endif

static void random_tapes(void **state)
{
    (void)state;
    unsigned with_races = 0, without = 0;
    snprintf(path, sizeof path, P_tmpdir "/transcribe-%ld.pft", (long)getpid());
    for (uint64_t first = 1; first <= TAPES; first++) {
        seed = first * UINT64_C(0x9e3779b97f4a7c15);
        make_tape();
        transcribe();
        compare(first);
        for (unsigned i = 1; i <= STEPS; i++)
            *(racy[i] ? &with_races : &without) += 1;
    }
    unlink(path);
    assert_true(with_races > 3 * TAPES && without > 3 * TAPES);
}

/* A program may write over its tape. */
static void unsound_slots(void **state)
{
    (void)state;
    const struct tape_slot bad[] = {
        {.op = 200},
        {.op = TAPE_ACCESS, .thread = UINT32_MAX, .c = UINT64_C(1) << 32},
        {.op = TAPE_ACCESS, .a = UINT64_MAX, .c = UINT64_C(1) << 32},
        {.op = TAPE_CLEAR, .b = UINT64_MAX},
        {.op = TAPE_MOVE, .b = UINT64_MAX},
        {.op = TAPE_SYNC, .how = 99},
        {.op = TAPE_POST, .a = UINT64_MAX},
        {.op = TAPE_STACK, .b = UINT64_MAX},
        {.op = TAPE_STACK, .b = 1}, /* and no slot after it */
    };
    for (size_t i = 0; i < array_length(bad); i++) {
        struct tape_slot slots[2] = {{.op = TAPE_CLEAR, .a = 8, .b = 8}, bad[i]};
        assert_int_equal(transcript_sound(slots, 2), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_tapes), cmocka_unit_test(unsound_slots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
