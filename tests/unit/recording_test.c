/* Random tapes, written as recordings, in streams and blocks: they have the same racy variables as the traces
 * that they become, and parts of them have no race that is none. What no recorder wrote is refused. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "random_tape.h"
#include "trace/tape_file.h"

/* A stream that is being written, as the runtime does it (runtime/host/stream.c). */
struct pen {
    uint8_t bytes[TAPE_BLOCK], *at;
    uint64_t first, marked, mark;
    struct {
        uint64_t site, last;
        int64_t stride, offset;
        unsigned follower;
    } entry[4];
    unsigned previous;
    uint64_t last, range;
    bool goes_on; /* a part of the block is in the file */
};

static struct pen spine, stream[THREADS];
static struct tape_file file;
static uint64_t last_address, record_count; /* of the spine */

static void put_bytes(struct pen *p, uint64_t value, size_t size)
{
    memcpy(p->at, &value, size);
    p->at += size;
}

static void put_varint(struct pen *p, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *p->at++ = (uint8_t)(value | 0x80);
    *p->at++ = (uint8_t)value;
}

static void end_part(struct pen *p, uint32_t kind, uint32_t thread)
{
    struct tape_file_block block = {.kind = kind, .thread = thread, .first = p->first};
    if (p->goes_on)
        block = (struct tape_file_block){.kind = TAPE_MORE_ACCESSES, .thread = thread};
    if (p->at > p->bytes)
        assert_true(tape_file_put(&file, block, p->bytes, (size_t)(p->at - p->bytes)));
    p->goes_on |= p->at > p->bytes;
    p->at = p->bytes;
}

static void end_block(struct pen *p, uint32_t kind, uint32_t thread)
{
    end_part(p, kind, thread);
    p->goes_on = false;
    memset(p->entry, 0, sizeof p->entry);
    p->previous = 0;
    p->last = p->range = 0;
}

static uint64_t distance(uint64_t *last, uint64_t address)
{
    int64_t far = (int64_t)(address - *last);
    *last = address;
    return (uint64_t)far << 1 ^ (uint64_t)(far >> 63);
}

static void put_special_head(struct pen *p, enum tape_special which)
{
    put_bytes(p, TAPE_SPECIAL | (unsigned)which << TAPE_ENTRY_SHIFT, 2);
}

static void put_head(struct pen *p, unsigned entry, enum tape_form form)
{
    if (p->entry[p->previous].follower == entry && below(8) > 0)
        put_bytes(p, (unsigned)form | TAPE_FOLLOWS, 1);
    else
        put_bytes(p, (unsigned)form | entry << TAPE_ENTRY_SHIFT, 2);
    p->entry[p->previous].follower = entry;
    p->previous = entry;
}

/* Sites of a recording: one for each kind and size up to 15, and one more for each kind. Or one for each
 * access, to know it again. */
static bool each_its_own;

static unsigned site_of(const struct tape_slot *s)
{
    return each_its_own ? (unsigned)s->b : 1 + (s->how & 1) + 2 * (unsigned)(s->c < 16 ? s->c : 0);
}

static void put_mark(struct pen *p)
{
    uint64_t more = p->mark - p->marked;
    if (p->at == p->bytes && !p->goes_on) {
        p->first = p->mark;
    } else if (more > 0 && more <= TAPE_MOST_SHORT_MARK && below(4) > 0) {
        put_bytes(p, TAPE_SPECIAL | TAPE_FOLLOWS | more << TAPE_ENTRY_SHIFT, 1);
    } else if (more > 0) {
        put_special_head(p, TAPE_MARK);
        put_varint(p, more);
    }
    p->marked = p->mark;
}

static void put_many(struct pen *p, const struct tape_slot *s)
{
    unsigned site = 1 + (s->how & 1), twice = below(2);
    if (below(2)) {
        put_bytes(p, TAPE_SPECIAL | TAPE_FOLLOWS, 1);
        put_varint(p, site);
        put_varint(p, distance(&p->range, s->a));
        put_varint(p, s->c);
        return;
    }
    put_special_head(p, TAPE_ROW);
    put_bytes(p, site, 4);
    put_bytes(p, s->a, 8);
    put_bytes(p, s->c, 8);
    put_bytes(p, twice ? 0 : 1 << 20, 8);
    put_bytes(p, 1 + twice, 8);
}

static void put_plain(struct pen *p, const struct tape_slot *s)
{
    unsigned site = site_of(s), entry = site % 4;
    put_mark(p);
    if (!each_its_own && (s->c >= 16 || below(8) == 0)) {
        put_many(p, s);
        return;
    }
    __typeof__(p->entry[0]) *e = &p->entry[entry];
    int64_t step = (int64_t)(s->a - e->last);
    if (e->site != site) {
        put_head(p, entry, TAPE_NEW);
        e->follower = 0;
        put_bytes(p, site, 4);
        put_bytes(p, s->a, 6);
        e->site = site;
        step = 0;
    } else if (step == e->stride) {
        put_head(p, entry, TAPE_AGAIN);
    } else if ((int64_t)(s->a - p->last) == e->offset && below(8) > 0) {
        put_head(p, entry, TAPE_WITH);
    } else {
        size_t size = step == (int8_t)step ? 1 : step == (int16_t)step ? 2 + below(2) : 6;
        put_head(p, entry, size == 6 ? TAPE_BY_6 : (enum tape_form)size);
        put_bytes(p, (uint64_t)step, size);
    }
    e->stride = step;
    e->offset = (int64_t)(s->a - p->last);
    e->last = p->last = s->a;
}

static unsigned turns[THREADS], turns_told[THREADS]; /* of streams */

static void put_record(const struct tape_slot *s);

static void put_turns_of(unsigned thread)
{
    if (thread >= THREADS || turns_told[thread] == turns[thread])
        return;
    turns_told[thread] = turns[thread];
    put_record(&(struct tape_slot){.op = TAPE_TURN, .how = 1, .thread = thread, .a = turns[thread]});
}

static void put_record(const struct tape_slot *s)
{
    if (tape_fields[s->op].thread)
        put_turns_of(s->thread);
    uint64_t field[3] = {s->a, s->b, s->c};
    record_count++;
    if (spine.at == spine.bytes) {
        spine.first = record_count;
        last_address = 0;
    }
    if (tape_fields[s->op].near)
        field[0] = distance(&last_address, s->a);
    *spine.at++ = (uint8_t)(s->op | s->how << TAPE_HOW_SHIFT);
    if (tape_fields[s->op].thread)
        put_varint(&spine, s->thread);
    for (unsigned i = 0; i < tape_fields[s->op].count; i++)
        put_varint(&spine, field[i]);
}

/* What is posted as that which a lock has when it is given up: a lock for each id and thread, so that locks
 * order nothing by themselves. */
static void put_given(const struct tape_slot *s, bool *given)
{
    uint64_t lock = s->a * THREADS + s->thread;
    if (!*given)
        put_record(&(struct tape_slot){.op = TAPE_LOCK, .a = BASE + 4 * PAGE + 8 * lock, .b = lock});
    put_record(&(struct tape_slot){.op = TAPE_TAKE, .thread = s->thread, .a = lock, .b = 1});
    if (*given)
        put_record(&(struct tape_slot){.op = TAPE_GIVE_LAST, .thread = s->thread});
    else
        put_record(&(struct tape_slot){.op = TAPE_GIVE, .thread = s->thread, .a = lock, .b = s->a});
    *given = true;
}

/* --- locks that threads have in turn --- */

static struct turn {
    unsigned given, giver;
    uint64_t since; /* record of the spine */
} turn[LOCKS];

static void put_short(struct pen *p, enum tape_short which)
{
    put_bytes(p, TAPE_SPECIAL | TAPE_FOLLOWS | (unsigned)which << TAPE_ENTRY_SHIFT, 1);
}

static void put_turn_in_stream(struct pen *p, const struct turn *t, uint64_t lock, bool again)
{
    p->mark = max_u64(p->mark, t->since);
    put_mark(p);
    put_short(p, again ? TAPE_TAKE_AGAIN : TAPE_TAKE_TURN);
    put_varint(p, lock);
    put_varint(p, 1);
    if (!again)
        put_varint(p, t->given);
    if (below(2)) {
        put_short(p, TAPE_GIVE_TAKEN);
    } else {
        put_special_head(p, TAPE_GIVE_LOCK);
        put_varint(p, lock);
    }
}

static void put_turn_on_spine(const struct tape_slot *s, const struct turn *t, uint64_t lock)
{
    if (t->given == 0)
        put_record(&(struct tape_slot){.op = TAPE_LOCK, .a = BASE + 4 * PAGE + 8 * lock, .b = lock});
    else
        put_record(&(struct tape_slot){.op = TAPE_LEARN, .thread = s->thread, .a = s->a});
    put_record(&(struct tape_slot){.op = TAPE_TAKE, .thread = s->thread, .a = lock, .b = 1});
    put_record(
        &(struct tape_slot){.op = TAPE_GIVE, .how = s->how, .thread = s->thread, .a = lock, .b = s->a});
}

/* The post of make_turn, which has what was learned before it. */
static void put_turn(const struct tape_slot *s)
{
    struct turn *t = &turn[s->a - POSTS];
    uint64_t lock = s->a * THREADS;
    if (t->given > 0 && below(4) > 0) {
        put_turn_in_stream(&stream[s->thread], t, lock, t->giver == s->thread);
        turns[s->thread] += 2;
    } else {
        if (t->given > 0)
            put_record(&(struct tape_slot){.op = TAPE_TURN, .a = lock, .b = t->given});
        put_turn_on_spine(s, t, lock);
        t->since = stream[s->thread].mark = record_count;
    }
    t->given++;
    t->giver = s->thread;
}

static bool is_turn(const struct tape_slot *s)
{
    return (s->op == TAPE_POST || s->op == TAPE_LEARN) && s->a >= POSTS;
}

static void put_sites(void)
{
    struct pen places = {.at = places.bytes};
    for (unsigned site = 1; site <= STEPS; site++) {
        unsigned how = (site - 1) % 2 | (site - 1) / 2 << TAPE_SIZE_SHIFT;
        for (size_t i = 0; i < length && each_its_own; i++)
            if (tape[i].op == TAPE_ACCESS && tape[i].b == site)
                how = tape[i].how % 2 | (unsigned)tape[i].c << TAPE_SIZE_SHIFT;
        *places.at++ = TAPE_SITE;
        put_varint(&places, site);
        put_varint(&places, FIRST_PC + site + 1);
        put_varint(&places, how);
    }
    end_block(&places, TAPE_PLACES, 0);
}

static bool is_plain(const struct tape_slot *s)
{
    return s->op == TAPE_ACCESS && s->how <= TAPE_WRITE;
}

static void start_recording(void)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    tape_file_start(&file, fd);
    memset(stream, 0, sizeof stream);
    memset(turn, 0, sizeof turn);
    memset(turns, 0, sizeof turns);
    memset(turns_told, 0, sizeof turns_told);
    spine.at = spine.bytes;
    record_count = 0;
    for (unsigned i = 0; i < THREADS; i++)
        stream[i].at = stream[i].bytes;
}

/* `whole`: with an end. */
static void end_recording(bool whole)
{
    for (unsigned i = THREADS; i-- > 0;)
        end_block(&stream[i], TAPE_ACCESSES, i);
    end_block(&spine, TAPE_SPINE, 0);
    if (whole)
        assert_true(tape_file_put(&file, (struct tape_file_block){.kind = TAPE_END}, NULL, 0));
    assert_true(tape_file_flush(&file));
    tape_file_free(&file);
    close(file.fd);
}

static void write_recording(bool whole)
{
    bool given[POSTS][THREADS] = {0};
    start_recording();
    put_sites();
    for (size_t i = 0; i < length; i++) {
        const struct tape_slot *s = &tape[i];
        if (is_plain(s)) {
            put_plain(&stream[s->thread], s);
        } else if (is_turn(s)) {
            if (s->op == TAPE_POST)
                put_turn(s);
        } else {
            if (s->op == TAPE_SYNC && s->how == OP_JOIN)
                put_turns_of((unsigned)s->a);
            if (s->op == TAPE_POST && below(2))
                put_given(s, &given[s->a][s->thread]);
            else
                put_record(s);
            for (unsigned k = 0; k < THREADS; k++)
                if (s->op == TAPE_CLEAR || s->op == TAPE_MOVE || s->thread == k ||
                    (s->how == OP_FORK && s->a == k))
                    stream[k].mark = record_count;
        }
        if (below(12) == 0)
            end_block(&spine, TAPE_SPINE, 0);
        unsigned some = below(THREADS);
        if (below(12) == 0)
            end_block(&stream[some], TAPE_ACCESSES, some);
        if (below(12) == 0)
            end_part(&stream[some], TAPE_ACCESSES, some);
    }
    end_recording(whole);
}

/* The bytes whose variables race: one bit each, of each life of them up to the 16th. */
struct racy_bytes {
    uint32_t of[2][BYTES + 16];
};

static void note_racy(struct racy_bytes *r, const char *name)
{
    char *end;
    unsigned long at = strtoul(name, &end, 16) - BASE;
    unsigned long life = *end == '#' ? strtoul(end + 1, NULL, 10) : 1;
    assert_true(at / PAGE < 2 && at % PAGE < BYTES + 16);
    r->of[at / PAGE][at % PAGE] |= 1u << life % 32;
}

static void racy_of(struct racy_bytes *r, uint64_t first_seed)
{
    struct problem problem;
    struct analysis a = {.path = path, .detector = &detector_oracle};
    memset(r, 0, sizeof *r);
    if (!analysis_run(&a, &problem))
        fail_msg("seed %lu: %s", (unsigned long)first_seed, problem.reason);
    for (size_t i = 0; i < a.replay.race_count; i++) {
        struct name name = names_get(&a.reader.names, NAME_VARIABLE, a.replay.race[i].variable);
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)name.length, name.text);
        note_racy(r, text);
    }
    analysis_free(&a);
}

/* Comparisons depend on which write is the latest: not known of a recording. */
static void make_tape_without_comparisons(uint64_t first)
{
    seed = first * UINT64_C(0x9e3779b97f4a7c15);
    make_tape();
    for (size_t i = 0; i < length; i++)
        if (tape[i].op == TAPE_COMPARE)
            tape[i] = (struct tape_slot){.op = TAPE_CLEAR, .a = BASE + BYTES + 8, .b = 4};
}

static void random_recordings(void **state)
{
    (void)state;
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    for (uint64_t first = 1; first <= 100; first++) {
        struct racy_bytes trace, recording;
        make_tape_without_comparisons(first);
        transcribe();
        racy_of(&trace, first);
        write_recording(true);
        racy_of(&recording, first);
        if (memcmp(&trace, &recording, sizeof trace) != 0)
            fail_msg("seed %lu: not the same bytes race", (unsigned long)first);
    }
    unlink(path);
}

/* Whatever part of a recording is there, its races are races. */
static unsigned check_part(bool salvage, uint64_t first_seed)
{
    struct problem problem;
    struct analysis a = {.path = path, .detector = &detector_oracle, .salvage = salvage, .all = true};
    if (!analysis_run(&a, &problem))
        fail_msg("seed %lu: %s", (unsigned long)first_seed, problem.reason);
    unsigned count = (unsigned)a.replay.race_count;
    for (unsigned i = 0; i < count; i++)
        if (!racy_pair[number_at(&a.reader.names, a.replay.race[i].first.location)]
                      [number_at(&a.reader.names, a.replay.race[i].second.location)])
            fail_msg("seed %lu: a race that there is not", (unsigned long)first_seed);
    analysis_free(&a);
    return count;
}

static void cut_recordings(void **state)
{
    (void)state;
    struct problem problem;
    unsigned found = 0;
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    each_its_own = true;
    for (uint64_t first = 1; first <= 50; first++) {
        make_tape_without_comparisons(first);
        write_recording(true);
        found += check_part(false, first);
        write_recording(false);
        struct analysis a = {.path = path, .detector = &detector_oracle};
        assert_false(analysis_run(&a, &problem));
        assert_non_null(strstr(problem.reason, "cut short"));
        assert_int_equal(truncate(path, (off_t)(24 + below((unsigned)file.size - 24))), 0);
        found += check_part(true, first);
    }
    each_its_own = false;
    unlink(path);
    assert_true(found > 500);
}

/* A thread compares a byte, another writes it; both may come at once after the record of the spine that both
 * have seen: the comparison is with what others have done by then, and only before it. */
static void compared_last(void **state)
{
    (void)state;
    struct pen places = {.at = places.bytes};
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    for (unsigned later = 0; later < 2; later++)
        for (unsigned compares = 1; compares <= 2; compares++) {
            unsigned writes = 3 - compares;
            struct analysis a = {.path = path, .detector = &detector_oracle};
            struct problem problem;
            start_recording();
            for (unsigned site = 1; site <= 2; site++) {
                *places.at++ = TAPE_SITE;
                put_varint(&places, site);
                put_varint(&places, FIRST_PC + site);
                put_varint(&places, (site == 1 ? TAPE_COMPARED : TAPE_WRITE) | 1 << TAPE_SIZE_SHIFT);
            }
            end_block(&places, TAPE_PLACES, 0);
            each_its_own = true;
            for (unsigned i = 1; i <= 2; i++)
                put_record(&(struct tape_slot){.op = TAPE_SYNC, .how = OP_FORK, .a = i});
            stream[1].mark = stream[2].mark = record_count;
            if (later) { /* the write comes after one more record, by that thread */
                put_record(&(struct tape_slot){.op = TAPE_POST, .thread = writes});
                stream[writes].mark = record_count;
            }
            put_plain(&stream[compares], &(struct tape_slot){.a = BASE, .b = 1, .c = 1});
            put_plain(&stream[writes], &(struct tape_slot){.a = BASE, .b = 2, .c = 1});
            each_its_own = false;
            end_recording(true);
            if (!analysis_run(&a, &problem))
                fail_msg("%s", problem.reason);
            assert_int_equal(a.replay.race_count, !later);
            analysis_free(&a);
        }
    unlink(path);
}

/* --- turns that are lost with the end of a recording --- */

static void start_with_threads(void)
{
    struct pen places = {.at = places.bytes};
    start_recording();
    *places.at++ = TAPE_SITE;
    put_varint(&places, 1);
    put_varint(&places, FIRST_PC);
    put_varint(&places, TAPE_WRITE | 1 << TAPE_SIZE_SHIFT);
    end_block(&places, TAPE_PLACES, 0);
    for (unsigned i = 1; i <= 2; i++) {
        put_record(&(struct tape_slot){.op = TAPE_SYNC, .how = OP_FORK, .a = i});
        stream[i].mark = record_count;
    }
}

static void write_by(unsigned thread, uint64_t address)
{
    each_its_own = true;
    put_plain(&stream[thread], &(struct tape_slot){.a = address, .b = 1, .c = 1});
    each_its_own = false;
}

static void first_turn_of(unsigned thread)
{
    put_turn_on_spine(&(struct tape_slot){.thread = thread, .a = POSTS}, &(struct turn){0}, 0);
    stream[thread].mark = record_count;
}

/* In a block of its own, which is there or not. */
static void next_turn_of(unsigned thread, bool again, bool lost)
{
    end_block(&stream[thread], TAPE_ACCESSES, thread);
    put_turn_in_stream(&stream[thread], &(struct turn){.given = 1, .since = record_count}, 0, again);
    turns[thread] += 2;
    if (lost)
        stream[thread].at = stream[thread].bytes;
}

/* Thread 1 writes and then has the lock again; thread 2 takes it after that, and writes. */
static void lose_turn_of_lock(bool lost)
{
    first_turn_of(1);
    write_by(1, BASE);
    next_turn_of(1, true, lost);
    put_record(&(struct tape_slot){.op = TAPE_TURN, .a = 0, .b = 2});
    put_record(&(struct tape_slot){.op = TAPE_LEARN, .thread = 2, .a = POSTS});
    stream[2].mark = record_count;
    write_by(2, BASE);
}

/* Thread 2 writes and has the lock; thread 1 takes it after that, and tells thread 0, which writes. */
static void lose_turn_of_thread(bool lost)
{
    write_by(2, BASE);
    write_by(1, BASE + 8);
    first_turn_of(2);
    next_turn_of(1, false, lost);
    put_record(&(struct tape_slot){.op = TAPE_POST, .thread = 1, .a = 1});
    put_record(&(struct tape_slot){.op = TAPE_LEARN, .thread = 0, .a = 1});
    stream[0].mark = record_count;
    write_by(0, BASE);
}

static void lost_turns(void **state)
{
    (void)state;
    void (*const make[])(bool) = {lose_turn_of_lock, lose_turn_of_thread};
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    for (unsigned i = 0; i < 4; i++) {
        bool lost = i % 2 == 1;
        struct analysis a = {.path = path, .detector = &detector_oracle, .salvage = lost};
        struct problem problem;
        start_with_threads();
        make[i / 2](lost);
        end_recording(!lost);
        if (!analysis_run(&a, &problem))
            fail_msg("%s", problem.reason);
        assert_int_equal(a.replay.race_count, 0);
        analysis_free(&a);
    }
    unlink(path);
}

/* A program may write over its tape. */
static void unsound_records(void **state)
{
    (void)state;
    const uint8_t bad[][12] = {
        {0},                                                                    /* nothing */
        {TAPE_ACCESS, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0},                      /* thread */
        {TAPE_ACCESS, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0}, /* address */
        {TAPE_OPS},                                                             /* no op */
        {TAPE_SYNC | 15 << TAPE_HOW_SHIFT, 0, 0xff, 0xff, 0xff, 0xff, 0x7f},    /* target */
        {TAPE_SYNC | OP_FORK << TAPE_HOW_SHIFT, 0, 0x80, 0x80, 0x80, 8},        /* thread that is forked */
        {TAPE_POST, 0, 0xff, 0xff, 0xff, 0xff, 0x7f},                           /* id */
        {TAPE_LOCK, 8, 0xff, 0xff, 0xff, 0xff, 0x7f},                           /* lock */
        {TAPE_TAKE, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x7f},                        /* site */
        {TAPE_GIVE, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x7f},                        /* id */
        {TAPE_STACK, 1, 127},                                                   /* count */
        {TAPE_STACK, 1, 2, 0},                                                  /* and no return addresses */
        {TAPE_CLEAR, 0x80},                                                     /* not whole */
    };
    for (size_t i = 0; i < array_length(bad); i++) {
        uint8_t bytes[3 + sizeof bad[i]] = {TAPE_CLEAR, 8, 8};
        memcpy(bytes + 3, bad[i], sizeof bad[i]);
        struct tape_records records = {bytes, bytes + (i + 1 == array_length(bad) ? 5 : sizeof bytes), 0};
        struct tape_slot slot;
        assert_true(tape_decode(&records, &slot));
        assert_false(tape_decode(&records, &slot));
    }
}

static void unknown_locks(void **state)
{
    (void)state;
    const struct tape_slot bad[] = {{.op = TAPE_TAKE, .a = 5, .b = 1},
                                    {.op = TAPE_GIVE, .a = 5, .b = 1},
                                    {.op = TAPE_GIVE_LAST},
                                    {.op = TAPE_GIVE_LAST, .thread = 3}};
    struct problem problem;
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    for (size_t i = 0; i < array_length(bad); i++) {
        struct analysis a = {.path = path, .detector = &detector_oracle};
        start_recording();
        put_record(&(struct tape_slot){.op = TAPE_LOCK, .a = BASE, .b = 4});
        put_record(&(struct tape_slot){.op = TAPE_TAKE, .a = 4, .b = 1}); /* and has never been given up */
        put_record(&bad[i]);
        end_recording(true);
        assert_false(analysis_run(&a, &problem));
        assert_non_null(strstr(problem.reason, "damaged"));
    }
    unlink(path);
}

/* Of names that are too long the end is left out, but not where in it the variable is. */
static void long_names(void **state)
{
    (void)state;
    const uint64_t far = 123456789;
    struct analysis a = {.path = path, .detector = &detector_oracle};
    struct problem problem;
    struct pen names = {.at = names.bytes};
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    start_recording();
    put_bytes(&names, BASE, 8);
    put_bytes(&names, far + 8, 8);
    put_bytes(&names, 1000, 8);
    for (unsigned i = 0; i < 1000; i++)
        put_bytes(&names, 'x', 1);
    end_block(&names, TAPE_VARIABLES, 0);
    for (unsigned i = 0; i < 2; i++) {
        put_record(
            &(struct tape_slot){.op = TAPE_ACCESS, .how = TAPE_WRITE, .a = BASE + far, .b = 1, .c = 1});
        put_record(&(struct tape_slot){.op = TAPE_CLEAR, .a = BASE + (far & -UINT64_C(8)), .b = 8});
    }
    end_recording(true);
    if (!analysis_run(&a, &problem))
        fail_msg("%s", problem.reason);
    unsigned found = 0;
    for (uint32_t i = 0; i < a.reader.names.of[NAME_VARIABLE].count; i++) {
        struct name name = names_get(&a.reader.names, NAME_VARIABLE, i);
        char text[1024];
        snprintf(text, sizeof text, "%.*s", (int)name.length, name.text);
        found += strstr(text, found == 0 ? "xx+123456789" : "xx+123456789#2") != NULL;
        assert_null(strchr(text, '\''));
    }
    assert_int_equal(found, 2);
    analysis_free(&a);
    unlink(path);
}

static size_t peak(void) /* KiB */
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss;
}

/* Few things with large numbers take as little memory as with small ones. */
static void large_numbers(void **state)
{
    (void)state;
    const uint32_t thread = TAPE_MOST_THREADS - 1, id = TAPE_MOST_POSTS - 1, site = TAPE_MOST_SITES - 1;
    struct analysis a = {.path = path, .detector = &detector_fasttrack2};
    struct problem problem;
    struct pen places = {.at = places.bytes};
    size_t before = peak();
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    start_recording();
    for (uint64_t i = 0; i < 2; i++) {
        *places.at++ = TAPE_STACK;
        put_varint(&places, i == 0 ? 1 : TAPE_MOST_NODES - 1);
        put_varint(&places, 1);
        put_bytes(&places, FIRST_PC, 8);
        *places.at++ = TAPE_SITE;
        put_varint(&places, i == 0 ? 1 : site);
        put_varint(&places, FIRST_PC);
        put_varint(&places, i == 0 ? 1 << 8 : (uint64_t)(TAPE_MOST_NODES - 1) << 8);
    }
    end_block(&places, TAPE_PLACES, 0);
    put_record(&(struct tape_slot){.op = TAPE_SYNC, .how = OP_FORK, .a = thread});
    put_record(&(struct tape_slot){.op = TAPE_LOCK, .a = BASE, .b = id});
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t by = i == 0 ? 0 : thread;
        put_record(&(struct tape_slot){.op = TAPE_POST, .thread = by, .a = 1});
        put_record(&(struct tape_slot){.op = TAPE_TAKE, .thread = by, .a = id, .b = site});
        put_record(&(struct tape_slot){.op = TAPE_GIVE, .thread = by, .a = id, .b = id, .how = i > 0});
    }
    put_record(&(struct tape_slot){.op = TAPE_SYNC, .how = OP_JOIN, .a = thread});
    end_recording(true);
    if (!analysis_run(&a, &problem))
        fail_msg("%s", problem.reason);
    assert_int_equal(a.reader.names.of[NAME_THREAD].count, 2);
    analysis_free(&a);
    unlink(path);
    assert_true(peak() - before < 64 << 10);
}

/* A program may reserve, and move, far more memory than it uses. */
static void large_moves(void **state)
{
    (void)state;
    const uint64_t size = UINT64_C(1) << 44;
    struct analysis a = {.path = path, .detector = &detector_oracle};
    struct problem problem;
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    start_recording();
    put_record(&(struct tape_slot){.op = TAPE_SYNC, .how = OP_FORK, .a = 1});
    put_record(&(struct tape_slot){.op = TAPE_ACCESS, .how = TAPE_WRITE, .a = size - 8, .b = 1, .c = 8});
    put_record(&(struct tape_slot){.op = TAPE_MOVE, .a = 0, .b = size, .c = size});
    put_record(&(struct tape_slot){
        .op = TAPE_ACCESS, .how = TAPE_WRITE, .thread = 1, .a = 2 * size - 8, .b = 2, .c = 8});
    end_recording(true);
    if (!analysis_run(&a, &problem))
        fail_msg("%s", problem.reason);
    assert_int_equal(a.replay.race_count, 1);
    analysis_free(&a);
    unlink(path);
}

/* When there is no room, half a MiB is given up, and not much more. */
static void full_disk(void **state)
{
    (void)state;
    enum { ROOM = 1 << 20, GIVEN_UP = 512 << 10 };
    struct rlimit before, little;
    uint8_t bytes[TAPE_BLOCK];
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    start_recording();
    getrlimit(RLIMIT_FSIZE, &before);
    little = (struct rlimit){.rlim_cur = ROOM, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    do
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)below(256);
    while (
        tape_file_put(&file, (struct tape_file_block){.kind = TAPE_SPINE, .first = 1}, bytes, sizeof bytes));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(tape_file_take_back(&file));
    assert_in_range(ROOM - file.size, GIVEN_UP, GIVEN_UP * 3 / 2);
    tape_file_free(&file);
    close(file.fd);
    unlink(path);
}

/* Two recordings in one file are not the first one. */
static void bytes_after_the_end(void **state)
{
    (void)state;
    struct analysis a = {.path = path, .detector = &detector_oracle};
    struct problem problem;
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    start_recording();
    put_record(&(struct tape_slot){.op = TAPE_SYNC, .how = OP_FORK, .a = 1});
    end_recording(true);
    FILE *out = fopen(path, "a");
    assert_non_null(out);
    fputc(0, out);
    fclose(out);
    assert_false(analysis_run(&a, &problem));
    assert_non_null(strstr(problem.reason, "bytes follow"));
    a = (struct analysis){.path = path, .detector = &detector_oracle, .salvage = true};
    assert_true(analysis_run(&a, &problem));
    analysis_free(&a);
    unlink(path);
}

static void older_version(void **state)
{
    (void)state;
    struct tape_file_header header = {.magic = TAPE_FILE_MAGIC, .version = 1};
    struct analysis a = {.path = path, .detector = &detector_oracle};
    struct problem problem;
    header.checksum = tape_file_checksum(&header, offsetof(struct tape_file_header, checksum));
    snprintf(path, sizeof path, P_tmpdir "/recording-%ld.pft", (long)getpid());
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(&header, sizeof header, 1, out), 1);
    fclose(out);
    assert_false(analysis_run(&a, &problem));
    assert_non_null(strstr(problem.reason, "recorded again"));
    unlink(path);
}

static void unsound_accesses(void **state)
{
    (void)state;
    const uint8_t bad[][12] = {
        {5 << TAPE_ENTRY_SHIFT, 0},                             /* an entry that has no site */
        {TAPE_NEW | TAPE_FOLLOWS, 0, 0, 0, 0},                  /* site 0 */
        {TAPE_NEW, 0, 1, 0, 0, 0, 1},                           /* not whole */
        {TAPE_SPECIAL | (TAPE_ROW + 1) << TAPE_ENTRY_SHIFT, 0}, /* no special */
        {0, 0xff},                                              /* no entry */
        {TAPE_SPECIAL | TAPE_FOLLOWS, 1, 8},                    /* a range that is not whole */
        {TAPE_WITH | TAPE_FOLLOWS},                             /* an entry that has no site */
    };
    const size_t size[] = {2, 5, 7, 2, 2, 3, 1};
    static struct tape_cursor cursor;
    for (size_t i = 0; i < array_length(bad); i++) {
        struct tape_touch touch;
        tape_cursor_start(&cursor, bad[i], size[i], 0);
        assert_int_equal(tape_cursor_next(&cursor, &touch), TAPE_ITEM_BAD);
    }
}

static enum tape_item row(uint64_t address, uint64_t size, uint64_t stride, uint64_t count,
                          struct tape_touch *touch)
{
    static struct tape_cursor cursor;
    struct pen p = {.at = p.bytes};
    put_special_head(&p, TAPE_ROW);
    put_bytes(&p, 1, 4);
    put_bytes(&p, address, 8);
    put_bytes(&p, size, 8);
    put_bytes(&p, stride, 8);
    put_bytes(&p, count, 8);
    tape_cursor_start(&cursor, p.bytes, (size_t)(p.at - p.bytes), 0);
    return tape_cursor_next(&cursor, touch);
}

/* None that would never end, or leaves the memory on its way. */
static void unsound_rows(void **state)
{
    (void)state;
    const uint64_t far = UINT64_C(1) << TAPE_ADDRESS_BITS;
    struct tape_touch touch;
    assert_int_equal(row(BASE, 4, 8, 100, &touch), TAPE_ITEM_ROW);
    assert_int_equal(row(BASE, 4, -(uint64_t)8, BASE / 8, &touch), TAPE_ITEM_ROW);
    assert_int_equal(row(BASE, 4, 0, UINT64_MAX / 2, &touch), TAPE_ITEM_ROW);
    assert_int_equal(touch.count, 1);
    assert_int_equal(row(BASE, 4, 8, 0, &touch), TAPE_ITEM_BAD);
    assert_int_equal(row(far, 4, 8, 1, &touch), TAPE_ITEM_BAD);
    assert_int_equal(row(BASE, far, 8, 1, &touch), TAPE_ITEM_BAD);
    assert_int_equal(row(BASE, 4, 8, far / 8, &touch), TAPE_ITEM_BAD);
    assert_int_equal(row(BASE, 4, -(uint64_t)8, BASE / 8 + 2, &touch), TAPE_ITEM_BAD);
    assert_int_equal(row(BASE, 4, far >> 10, UINT64_C(1) << 27, &touch), TAPE_ITEM_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_recordings), cmocka_unit_test(cut_recordings),
        cmocka_unit_test(compared_last),     cmocka_unit_test(unknown_locks),
        cmocka_unit_test(large_moves),       cmocka_unit_test(large_numbers),
        cmocka_unit_test(long_names),        cmocka_unit_test(bytes_after_the_end),
        cmocka_unit_test(full_disk),         cmocka_unit_test(older_version),
        cmocka_unit_test(lost_turns),        cmocka_unit_test(unsound_records),
        cmocka_unit_test(unsound_accesses),  cmocka_unit_test(unsound_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
