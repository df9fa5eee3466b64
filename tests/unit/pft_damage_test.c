/* .pft: whatever is not whole is refused, or with salvage ends there; nothing crashes or exhausts memory. */
#include "support/pft_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <zstd.h>

static void refused(struct bytes bytes, const char *reason)
{
    struct outcome outcome = read_pft(bytes, false, NULL);
    assert_true(!outcome.opened || outcome.result == READ_BAD);
    if (strstr(outcome.problem.reason, reason) == NULL)
        fail_msg("\"%s\" where \"%s\" was expected", outcome.problem.reason, reason);
    outcome_free(&outcome);
}

/* Strictly: refused. Salvaged: refused, or a prefix whose end is known to be a loss. */
static void survives_damage(struct bytes bytes, const struct trace *whole)
{
    struct outcome strict = read_pft(bytes, false, NULL);
    assert_true(!strict.opened || strict.result == READ_BAD);
    assert_true(strict.problem.reason[0] != '\0');
    assert_true(strict.trace.count <= whole->count);
    if (strict.opened)
        assert_int_equal(strict.problem.line, strict.trace.count + 1);
    struct outcome salvaged = read_pft(bytes, true, NULL);
    assert_int_equal(salvaged.opened, strict.opened);
    if (salvaged.opened) {
        assert_int_equal(salvaged.result, READ_END);
        assert_int_equal(salvaged.lost, 1);
    }
    assert_int_equal(salvaged.trace.count, strict.trace.count);
    same_events(&salvaged.trace, whole);
    outcome_free(&strict);
    outcome_free(&salvaged);
}

static struct bytes small_file(struct trace *trace)
{
    trace_init(trace);
    id_of(trace, NAME_THREAD, "T", 0);
    add_one_of_each(trace);
    return write_pft(trace);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    struct trace trace;
    struct bytes bytes = small_file(&trace);
    for (size_t size = 0; size < bytes.size; size++)
        survives_damage((struct bytes){bytes.at, size}, &trace);
    refused((struct bytes){bytes.at, bytes.size - 1}, "the end mark is missing");
    free(bytes.at);
    trace_free(&trace);
}

static void every_changed_byte_is_refused(void **state)
{
    (void)state;
    static const unsigned char masks[] = {0x01, 0x10, 0x80, 0xff};
    struct trace trace;
    struct bytes bytes = small_file(&trace);
    for (size_t i = 0; i < bytes.size; i++)
        for (size_t m = 0; m < sizeof masks; m++) {
            bytes.at[i] ^= (char)masks[m];
            survives_damage(bytes, &trace);
            bytes.at[i] ^= (char)masks[m];
        }
    free(bytes.at);
    trace_free(&trace);
}

static size_t block_size(const char *block)
{
    struct pft_block head;
    memcpy(&head, block, sizeof head);
    return sizeof head + head.stored;
}

static void salvage_stops_at_the_damaged_block(void **state)
{
    (void)state;
    struct trace trace;
    trace_init(&trace);
    add_accesses(&trace, 3 * PFT_BLOCK_EVENTS, 50);
    struct bytes bytes = write_pft(&trace);
    size_t second = sizeof(struct pft_header) + block_size(bytes.at + sizeof(struct pft_header));
    bytes.at[second + 100] ^= 1;
    struct outcome outcome = read_pft(bytes, true, NULL);
    assert_int_equal(outcome.trace.count, PFT_BLOCK_EVENTS);
    survives_damage(bytes, &trace);
    refused(bytes, "block 2 is damaged (checksum); use --salvage to take the 16384 events before it");
    bytes.at[second + 100] ^= 1;

    /* Without the second block at all. */
    size_t third = second + block_size(bytes.at + second);
    memmove(bytes.at + second, bytes.at + third, bytes.size - third);
    bytes.size -= third - second;
    survives_damage(bytes, &trace);
    refused(bytes, "blocks are missing");
    outcome_free(&outcome);
    free(bytes.at);
    trace_free(&trace);
}

/* ---- files that no writer of ours makes, with checksums that fit ---- */

static void put_header(FILE *out, unsigned version, unsigned flags, unsigned zero)
{
    struct pft_header header = {
        .magic = PFT_MAGIC, .version = (uint16_t)version, .flags = (uint16_t)flags, .zero = zero};
    header.checksum = pft_checksum(&header, offsetof(struct pft_header, checksum));
    fwrite(&header, sizeof header, 1, out);
}

static void put_stored(FILE *out, struct pft_block block, const void *stored)
{
    char *whole = malloc(sizeof block + block.stored);
    memcpy(block.magic, PFT_BLOCK_MAGIC, sizeof block.magic);
    memcpy(whole, &block, sizeof block);
    if (block.stored > 0)
        memcpy(whole + sizeof block, stored, block.stored);
    block.checksum = pft_block_checksum(whole, block.stored);
    memcpy(whole, &block, sizeof block);
    fwrite(whole, 1, sizeof block + block.stored, out);
    free(whole);
}

static void put_block(FILE *out, struct pft_block block, const void *raw, size_t size)
{
    char *stored = malloc(ZSTD_compressBound(size));
    block.stored = (uint32_t)ZSTD_compress(stored, ZSTD_compressBound(size), raw, size, 1);
    block.raw = (uint32_t)size;
    put_stored(out, block, stored);
    free(stored);
}

static struct bytes file_of_block(struct pft_block block, const void *raw, size_t size)
{
    struct bytes bytes = {0};
    FILE *out = open_memstream(&bytes.at, &bytes.size);
    put_header(out, PFT_VERSION, 0, 0);
    put_block(out, block, raw, size);
    put_stored(out, (struct pft_block){.kind = PFT_END, .first = block.first + block.events}, NULL);
    fclose(out);
    return bytes;
}

/* One event of width 0, in a block where x0, l0, T0 and the location "here" exist. */
static struct bytes file_of_event(uint32_t op, uint32_t thread, uint32_t target, uint32_t location)
{
    char raw[64] = "\1\2x0\1\2l0\1\2T0\0\0\0\1\4here";
    size_t size = 21;
    uint32_t base[PFT_COLUMNS] = {op, thread, target, location};
    for (unsigned i = 0; i < PFT_COLUMNS; i++, size += PFT_COLUMN_HEADER)
        memcpy(raw + size + 1, &base[i], sizeof base[i]);
    return file_of_block((struct pft_block){.kind = PFT_EVENTS, .events = 1, .first = 1}, raw, size);
}

static void refuses_ids_that_do_not_exist(void **state)
{
    (void)state;
    static const struct {
        uint32_t op, thread, target, location;
        bool good;
    } cases[] = {
        {OP_READ, 0, 0, 0, true},
        {OP_ALLOC, 0, 0, NO_LOCATION, true},
        {OP_ACQUIRE, 0, 0, LOCATION_NAMED, true},
        {OP_FORK, 0, 0, LOCATION_NAMED - 1, true},
        {OP_END, 0, NO_TARGET, 0, true},
        {OP_COUNT, 0, 0, 0, false},
        {256, 0, 0, 0, false},
        {UINT32_MAX, 0, 0, 0, false},
        {OP_READ, 1, 0, 0, false},
        {OP_READ, UINT32_MAX, 0, 0, false},
        {OP_READ, 0, 1, 0, false},
        {OP_READ, 0, NO_TARGET, 0, false},
        {OP_ACQUIRE, 0, 1, 0, false},
        {OP_FORK, 0, 1, 0, false},
        {OP_VREAD, 0, 0, 0, false},
        {OP_BEGIN, 0, 0, 0, false},
        {OP_READ, 0, 0, LOCATION_NAMED | 1, false},
        {OP_READ, 0, 0, NO_LOCATION - 1, false},
    };
    for (size_t i = 0; i < array_length(cases); i++) {
        struct bytes bytes = file_of_event(cases[i].op, cases[i].thread, cases[i].target, cases[i].location);
        struct outcome outcome = read_pft(bytes, false, NULL);
        assert_int_equal(outcome.result, cases[i].good ? READ_END : READ_BAD);
        assert_int_equal(outcome.trace.count, cases[i].good);
        if (!cases[i].good)
            refused(bytes, "refers to a name or an operation");
        outcome_free(&outcome);
        free(bytes.at);
    }
}

static void refused_block(struct pft_block block, const void *raw, size_t size, const char *reason)
{
    struct bytes bytes = file_of_block(block, raw, size);
    refused(bytes, reason);
    free(bytes.at);
}

/* Seven counts of names, four columns of width 0, nothing else. */
enum { EMPTY_RAW = NAME_CLASSES + PFT_COLUMNS * PFT_COLUMN_HEADER };

static void refuses_misshapen_blocks(void **state)
{
    (void)state;
    static const char zero[EMPTY_RAW + 1];
    struct pft_block good = {.kind = PFT_EVENTS, .first = 1}, block;
    for (size_t size = 0; size < EMPTY_RAW; size++)
        refused_block(good, zero, size, "cut off");
    refused_block(good, zero, EMPTY_RAW + 1, "longer than its events");
    block = good;
    block.kind = 3;
    refused_block(block, zero, EMPTY_RAW, "needs a newer photofinish");
    block = good;
    block.first = 2;
    refused_block(block, zero, EMPTY_RAW, "blocks are missing");
    block = good;
    block.events = PFT_BLOCK_EVENTS + 1;
    refused_block(block, zero, EMPTY_RAW, "impossible sizes");
    block = good;
    block.kind = PFT_END;
    refused_block(block, zero, EMPTY_RAW, "end mark with contents");

    char raw[EMPTY_RAW] = {0};
    raw[NAME_CLASSES] = PFT_MOST_DIGITS + 1;
    refused_block(good, raw, EMPTY_RAW, "too wide");
    raw[NAME_CLASSES] = PFT_MOST_DIGITS;
    block = good;
    block.events = 1;
    refused_block(block, raw, EMPTY_RAW, "cut off");
    refused_block(good, "\2\1x\1x", 5, "a name twice");
    refused_block(good, "\1\377\377\377\377\017x", 7, "cut off");
    refused_block(good, "\377\377\377\377\377\0", 6, "cut off");
    refused_block(good, "\1\200\200\200\200\200\200\0", 8, "cut off");
}

static void refuses_what_a_newer_version_wrote(void **state)
{
    (void)state;
    static const struct {
        unsigned version, flags, zero;
        const char *reason;
    } cases[] = {{2, 0, 0, "needs a newer photofinish"},
                 {0, 0, 0, "needs another photofinish"},
                 {PFT_VERSION, 2, 0, "needs a newer photofinish"},
                 {PFT_VERSION, 0x8001, 0, "needs a newer photofinish"},
                 {PFT_VERSION, 0, 1, "needs a newer photofinish"},
                 {PFT_VERSION, 1, 0, "the end mark is missing"}};
    for (size_t i = 0; i < array_length(cases); i++) {
        struct bytes bytes = {0};
        FILE *out = open_memstream(&bytes.at, &bytes.size);
        put_header(out, cases[i].version, cases[i].flags, cases[i].zero);
        fclose(out);
        refused(bytes, cases[i].reason);
        free(bytes.at);
    }
    static char text[] = "main|w(x)|1\n";
    refused((struct bytes){text, sizeof text - 1}, "not a .pft trace");
    refused((struct bytes){text, 0}, "not a .pft trace");
}

static void refuses_bytes_after_the_end(void **state)
{
    (void)state;
    struct trace trace;
    struct bytes bytes = small_file(&trace);
    bytes.at = realloc(bytes.at, bytes.size + 1);
    bytes.at[bytes.size++] = 0;
    refused(bytes, "bytes follow the end mark");
    survives_damage(bytes, &trace);
    free(bytes.at);
    trace_free(&trace);
}

/* Refused, and little memory used for it. */
static void refused_cheaply(struct pft_block block, const void *stored, size_t most_memory)
{
    struct bytes bytes = {0};
    FILE *out = open_memstream(&bytes.at, &bytes.size);
    put_header(out, PFT_VERSION, 0, 0);
    put_stored(out, block, stored);
    fclose(out);
    struct outcome outcome = read_pft(bytes, false, NULL);
    assert_int_equal(outcome.result, READ_BAD);
    assert_in_range(outcome.peak_memory, 0, most_memory);
    outcome_free(&outcome);
    free(bytes.at);
}

static void sizes_do_not_exhaust_memory(void **state)
{
    (void)state;
    enum { LITTLE = 1 << 20, MUCH = PFT_MOST_RAW + 4 * LITTLE };
    size_t bound = ZSTD_compressBound(PFT_MOST_RAW);
    char *raw = calloc(1, PFT_MOST_RAW), *stored = malloc(bound);
    struct pft_block block = {.kind = PFT_EVENTS, .first = 1};
    /* 64 MiB of nothing, honestly declared, declared shorter, and declared longer than a block may be. */
    block.stored = (uint32_t)ZSTD_compress(stored, bound, raw, PFT_MOST_RAW, 1);
    block.raw = PFT_MOST_RAW;
    refused_cheaply(block, stored, MUCH);
    block.raw = 1000;
    refused_cheaply(block, stored, LITTLE);
    block.raw = UINT32_MAX;
    refused_cheaply(block, stored, LITTLE);
    /* As many empty names as fit. */
    raw[0] = raw[1] = raw[2] = (char)0xff;
    raw[3] = 0x1f;
    block.stored = (uint32_t)ZSTD_compress(stored, bound, raw, PFT_MOST_RAW, 1);
    block.raw = PFT_MOST_RAW;
    refused_cheaply(block, stored, MUCH);
    free(raw);
    free(stored);

    /* A stored size that the file does not have. */
    struct bytes bytes = {0};
    FILE *out = open_memstream(&bytes.at, &bytes.size);
    put_header(out, PFT_VERSION, 0, 0);
    block.stored = PFT_MOST_STORED;
    memcpy(block.magic, PFT_BLOCK_MAGIC, sizeof block.magic);
    fwrite(&block, sizeof block, 1, out);
    fclose(out);
    struct outcome outcome = read_pft(bytes, false, NULL);
    assert_int_equal(outcome.result, READ_BAD);
    assert_in_range(outcome.peak_memory, 0, LITTLE);
    outcome_free(&outcome);
    free(bytes.at);
}

/* The file turns unreadable after its first bytes: told as such, also with salvage. */
static void a_read_error_is_told(void **state)
{
    (void)state;
    struct trace trace;
    struct bytes bytes = small_file(&trace);
    char path[] = "pft_damage_test.XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, bytes.at, bytes.size), bytes.size);
    close(fd);
    struct source source;
    struct reader reader;
    struct batch batch;
    struct problem problem;
    assert_true(source_open(&source, path, false, &problem));
    unlink(path);
    assert_true(reader_open(&reader, &source, &trace_pft, &problem));
    reader.salvage = true;
    close(source.fd);
    source.fd = open("/dev/null", O_WRONLY);
    assert_int_equal(reader_next(&reader, &batch), READ_EVENTS);
    assert_int_equal(batch.count, trace.count);
    assert_int_equal(reader_next(&reader, &batch), READ_BAD);
    assert_int_equal(reader.problem.line, trace.count + 1);
    assert_non_null(strstr(reader.problem.reason, "cannot read"));
    reader_close(&reader);
    source_close(&source);
    free(bytes.at);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_changed_byte_is_refused),
        cmocka_unit_test(salvage_stops_at_the_damaged_block),
        cmocka_unit_test(refuses_ids_that_do_not_exist),
        cmocka_unit_test(refuses_misshapen_blocks),
        cmocka_unit_test(refuses_what_a_newer_version_wrote),
        cmocka_unit_test(refuses_bytes_after_the_end),
        cmocka_unit_test(a_read_error_is_told),
        cmocka_unit_test(sizes_do_not_exhaust_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
