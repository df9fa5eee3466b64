/* Memory: bytes per variable, per sync object and per sync event as the detectors account for them, and the
 * peak resident size of whole analyses of traces of different lengths.
 */
#include <inttypes.h>
#include <string.h>

#include "bench.h"
#include "measure.h"
#include "stream.h"
#include "table.h"

enum { THREADS = 8, VARIABLES = 1000000, SLICE = 1000, LOCKS = 64, MANY_LOCKS = 100000 };

/* What fasttrack2 promises for a variable that is not read-shared. */
enum { FASTTRACK2_BYTES = 24 };

/* All but those that are not meant for large traces. */
static bool is_shown(const struct detector *detector)
{
    static const char *const left_out[] = {"nop", "oracle", "goldilocks-eager"};
    for (size_t i = 0; i < array_length(left_out); i++)
        if (strcmp(detector->name, left_out[i]) == 0)
            return false;
    return true;
}

static struct detector_stats stats_of(const struct stream *s)
{
    struct detector_stats stats = {0};
    s->replay.detector->stats(s->replay.state, &stats);
    return stats;
}

/* --- the made-up traces; none has a race --- */

static void put_slice(struct stream *s, uint32_t thread, enum op op, uint32_t slice)
{
    for (uint32_t x = slice * SLICE; x < (slice + 1) * SLICE; x++)
        stream_put(s, thread, op, x);
}

/* Every variable is written by one thread and then read by another one, under the same lock. */
static void put_exclusive(struct stream *s)
{
    stream_put_all(s, OP_FORK, THREADS);
    for (uint32_t slice = 0; slice < VARIABLES / SLICE; slice++)
        for (uint32_t turn = 0; turn < 2; turn++) {
            uint32_t thread = (slice + turn) % THREADS, lock = slice % LOCKS;
            stream_put(s, thread, OP_ACQUIRE, lock);
            put_slice(s, thread, turn == 0 ? OP_WRITE : OP_READ, slice);
            stream_put(s, thread, OP_RELEASE, lock);
        }
}

/* The first thread writes all variables; then every thread reads all of them. */
static void put_read_shared(struct stream *s)
{
    for (uint32_t slice = 0; slice < VARIABLES / SLICE; slice++)
        put_slice(s, 0, OP_WRITE, slice);
    stream_put_all(s, OP_FORK, THREADS);
    for (uint32_t slice = 0; slice < VARIABLES / SLICE; slice++)
        for (uint32_t thread = 0; thread < THREADS; thread++)
            put_slice(s, thread, OP_READ, slice);
}

/* Critical sections of one write, each lock with its own variable; lock after lock in a jumping order that
 * reaches all of them, thread after thread. */
static void put_sections(struct stream *s, uint64_t sections)
{
    stream_put_all(s, OP_FORK, THREADS);
    for (uint64_t i = 0; i < sections; i++) {
        uint32_t thread = (uint32_t)(i % THREADS), lock = (uint32_t)(i * 61357 % MANY_LOCKS);
        stream_put(s, thread, OP_ACQUIRE, lock);
        stream_put(s, thread, OP_WRITE, lock);
        stream_put(s, thread, OP_RELEASE, lock);
    }
}

/* --- bytes per variable --- */

static double bytes_per_variable(struct stream *s, const struct detector *detector,
                                 void (*put)(struct stream *), bool *right)
{
    stream_open(s, detector);
    put(s);
    stream_flush(s);
    double bytes = (double)stats_of(s).variable_bytes / VARIABLES;
    *right &= !detector->precise || s->replay.race_count == 0;
    stream_close(s);
    return bytes;
}

static bool show_variables(struct stream *s, const char *out)
{
    struct table table;
    bool all_right = true;
    double fasttrack2 = 0;
    table_open(&table, "Bytes per variable (1,000,000 variables, 8 threads)",
               "<detector|not read-shared|read by all 8|<answer");
    for (size_t i = 0; detectors[i] != NULL; i++) {
        if (!is_shown(detectors[i]))
            continue;
        fprintf(stderr, "memory: bytes per variable, %s\n", detectors[i]->name);
        bool right = true;
        double exclusive = bytes_per_variable(s, detectors[i], put_exclusive, &right);
        double shared = bytes_per_variable(s, detectors[i], put_read_shared, &right);
        table_cell(&table, "%s", detectors[i]->name);
        table_cell(&table, "%.1f", exclusive);
        table_cell(&table, "%.1f", shared);
        table_cell(&table, "%s", measure_verdict(detectors[i], right));
        all_right &= right;
        if (strcmp(detectors[i]->name, "fasttrack2") == 0)
            fasttrack2 = exclusive;
    }
    table_close(&table, out, "memory-variables");
    printf("\nfasttrack2: %.1f bytes per variable that is not read-shared; the limit is %d: %s\n", fasttrack2,
           FASTTRACK2_BYTES, fasttrack2 < FASTTRACK2_BYTES ? "PASS" : "over");
    return all_right;
}

/* --- bytes per sync object and sync event --- */

struct sync_memory {
    size_t sync, peak;
    uint64_t events;
    bool right;
};

static struct sync_memory sync_memory(struct stream *s, const struct detector *detector, uint64_t sections)
{
    stream_open(s, detector);
    put_sections(s, sections);
    stream_flush(s);
    struct sync_memory m = {.sync = stats_of(s).sync_bytes,
                            .peak = s->replay.host.mem.peak,
                            .events = 2 * sections,
                            .right = s->replay.race_count == 0 || !detector->precise};
    stream_close(s);
    return m;
}

static bool show_sync(struct stream *s, const char *out)
{
    struct table table;
    bool all_right = true;
    table_open(
        &table,
        "Synchronization: bytes per sync object (8 threads, 100,000 locks), and whether the whole state\n"
        "grows with the number of sync events (peak MB after 1 and after 10 million of them)",
        "<detector|per object|1 M: peak MB|10 M: peak MB|per further event|<answer");
    for (size_t i = 0; detectors[i] != NULL; i++) {
        if (!is_shown(detectors[i]))
            continue;
        fprintf(stderr, "memory: bytes per sync object, %s\n", detectors[i]->name);
        struct sync_memory few = sync_memory(s, detectors[i], 500000),
                           many = sync_memory(s, detectors[i], 5000000);
        bool right = few.right && many.right;
        table_cell(&table, "%s", detectors[i]->name);
        table_cell(&table, "%.1f", (double)many.sync / (THREADS + MANY_LOCKS));
        table_cell(&table, "%.2f", (double)few.peak / 1e6);
        table_cell(&table, "%.2f", (double)many.peak / 1e6);
        table_cell(&table, "%.2f",
                   ((double)many.peak - (double)few.peak) / (double)(many.events - few.events));
        table_cell(&table, "%s", measure_verdict(detectors[i], right));
        all_right &= right;
    }
    table_close(&table, out, "memory-sync");
    return all_right;
}

/* --- peak resident size by the length of the trace --- */

static void show_lengths(const char *out, int count, char **files)
{
    static const char *const shown[] = {"nop", "fasttrack2", "goldilocks"};
    struct table table;
    table_open(&table, "Peak resident size of an analysis (MB) by the length of the trace",
               "<trace|M events|nop|fasttrack2|goldilocks");
    for (int i = 0; i < count; i++) {
        const char *slash = strrchr(files[i], '/');
        uint64_t events = 0, peak[array_length(shown)];
        for (size_t d = 0; d < array_length(shown); d++) {
            fprintf(stderr, "memory: %s, %s\n", files[i], shown[d]);
            struct measured m = measure_analysis(files[i], measure_detector(shown[d]));
            events = m.events;
            peak[d] = m.peak_bytes;
        }
        table_cell(&table, "%s", slash == NULL ? files[i] : slash + 1);
        table_cell(&table, "%.0f", (double)events / 1e6);
        for (size_t d = 0; d < array_length(shown); d++)
            table_cell(&table, "%.1f", (double)peak[d] / 1e6);
    }
    table_close(&table, out, "memory-length");
}

int bench_memory(const char *out, int count, char **arguments)
{
    struct mem mem = {0};
    if (count > 0) /* first, while this process is small: its children begin with its size */
        show_lengths(out, count, arguments);
    struct stream *stream = mem_alloc(&mem, sizeof *stream);
    bool all_right = show_variables(stream, out);
    all_right &= show_sync(stream, out);
    mem_free(&mem, stream, sizeof *stream);
    return all_right ? 0 : 1;
}
