/* Random tapes, written as recordings, in streams and blocks: they have the same racy variables as the traces
 * that they become, and parts of them have no race that is none. What no recorder wrote is refused. */
#include <fcntl.h>

#include "random_tape.h"
#include "trace/tape_file.h"

/* A stream that is being written, as the runtime does it (runtime/host/stream.c). */
struct pen {
    uint8_t bytes[TAPE_BLOCK], *at;
    uint64_t first, marked, mark;
    struct {
        uint64_t site, last;
        int64_t stride;
        unsigned follower;
    } entry[4];
    unsigned previous;
};

static struct pen spine, stream[THREADS];
static struct tape_file file;
static uint64_t last_address;

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

static void end_block(struct pen *p, uint32_t kind, uint32_t thread)
{
    if (p->at > p->bytes)
        assert_true(tape_file_put(&file,
                                  (struct tape_file_block){.kind = kind, .thread = thread, .first = p->first},
                                  p->bytes, (size_t)(p->at - p->bytes)));
    p->at = p->bytes;
    memset(p->entry, 0, sizeof p->entry);
    p->previous = 0;
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

static void put_plain(struct pen *p, const struct tape_slot *s)
{
    unsigned site = site_of(s), entry = site % 4;
    if (p->at == p->bytes)
        p->first = p->marked = p->mark;
    if (p->mark != p->marked) {
        put_special_head(p, TAPE_MARK);
        put_varint(p, p->mark - p->marked);
        p->marked = p->mark;
    }
    if (!each_its_own && (s->c >= 16 || below(8) == 0)) {
        bool row = below(2), twice = below(2);
        put_special_head(p, row ? TAPE_ROW : TAPE_RANGE);
        put_bytes(p, 1 + (s->how & 1), 4);
        put_bytes(p, s->a, 8);
        put_bytes(p, s->c, 8);
        if (row) {
            put_bytes(p, twice ? 0 : 1 << 20, 8);
            put_bytes(p, 1 + twice, 8);
        }
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
    } else {
        size_t size = step == (int8_t)step ? 1 : step == (int16_t)step ? 2 + below(3) : 6;
        put_head(p, entry, size == 6 ? TAPE_BY_6 : (enum tape_form)size);
        put_bytes(p, (uint64_t)step, size);
    }
    e->stride = step;
    e->last = s->a;
}

static void put_record(const struct tape_slot *s, uint64_t number)
{
    uint64_t field[3] = {s->a, s->b, s->c};
    if (spine.at == spine.bytes) {
        spine.first = number;
        last_address = 0;
    }
    if (tape_fields[s->op].near) {
        int64_t distance = (int64_t)(s->a - last_address);
        field[0] = (uint64_t)distance << 1 ^ (uint64_t)(distance >> 63);
        last_address = s->a;
    }
    *spine.at++ = (uint8_t)(s->op | s->how << TAPE_HOW_SHIFT);
    if (tape_fields[s->op].thread)
        put_varint(&spine, s->thread);
    for (unsigned i = 0; i < tape_fields[s->op].count; i++)
        put_varint(&spine, field[i]);
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

/* `whole`: with an end. */
static void write_recording(bool whole)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    uint64_t number = 0;
    assert_true(fd >= 0);
    tape_file_start(&file, fd);
    put_sites();
    memset(stream, 0, sizeof stream);
    spine.at = spine.bytes;
    for (unsigned i = 0; i < THREADS; i++)
        stream[i].at = stream[i].bytes;
    for (size_t i = 0; i < length; i++) {
        const struct tape_slot *s = &tape[i];
        if (is_plain(s)) {
            put_plain(&stream[s->thread], s);
        } else {
            put_record(s, ++number);
            for (unsigned k = 0; k < THREADS; k++)
                if (s->op == TAPE_CLEAR || s->op == TAPE_MOVE || s->thread == k ||
                    (s->how == OP_FORK && s->a == k))
                    stream[k].mark = number;
        }
        if (below(12) == 0)
            end_block(&spine, TAPE_SPINE, 0);
        unsigned some = below(THREADS);
        if (below(12) == 0)
            end_block(&stream[some], TAPE_ACCESSES, some);
    }
    for (unsigned i = THREADS; i-- > 0;)
        end_block(&stream[i], TAPE_ACCESSES, i);
    end_block(&spine, TAPE_SPINE, 0);
    if (whole)
        assert_true(tape_file_put(&file, (struct tape_file_block){.kind = TAPE_END}, NULL, 0));
    assert_true(tape_file_flush(&file));
    tape_file_free(&file);
    close(fd);
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

/* A program may write over its tape. */
static void unsound_records(void **state)
{
    (void)state;
    const uint8_t bad[][12] = {
        {0},                                                                    /* nothing */
        {TAPE_OPS},                                                             /* no op */
        {TAPE_ACCESS, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0},                      /* thread */
        {TAPE_ACCESS, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0}, /* address */
        {TAPE_SYNC | 15 << TAPE_HOW_SHIFT, 0, 0xff, 0xff, 0xff, 0xff, 0x7f},    /* target */
        {TAPE_POST, 0, 0xff, 0xff, 0xff, 0xff, 0x7f},                           /* id */
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

static void unsound_accesses(void **state)
{
    (void)state;
    const uint8_t bad[][12] = {
        {5 << TAPE_ENTRY_SHIFT, 0},                             /* an entry that has no site */
        {TAPE_NEW | TAPE_FOLLOWS, 0, 0, 0, 0},                  /* site 0 */
        {TAPE_NEW, 0, 1, 0, 0, 0, 1},                           /* not whole */
        {TAPE_SPECIAL | (TAPE_ROW + 1) << TAPE_ENTRY_SHIFT, 0}, /* no special */
        {0, 0xff},                                              /* no entry */
    };
    const size_t size[] = {2, 5, 7, 2, 2};
    static struct tape_cursor cursor;
    for (size_t i = 0; i < array_length(bad); i++) {
        struct tape_touch touch;
        tape_cursor_start(&cursor, bad[i], size[i], 0);
        assert_int_equal(tape_cursor_next(&cursor, &touch), TAPE_ITEM_BAD);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_recordings), cmocka_unit_test(cut_recordings),
                                       cmocka_unit_test(unsound_records), cmocka_unit_test(unsound_accesses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
