/* STD, the text format of RAPID: one event a line, thread|op(operand)|location.
 *
 * Beyond RAPID: the ops of TRACE_OPS that it lacks, locations that are not numbers, comment lines (#), blank
 * lines, blanks around a field. Every other line that is not an event is refused.
 *
 * The first half of this file is the format; the second half takes the common lines apart faster.
 */
#include "trace/text.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static bool in_name(char c)
{
    return text_is_plain(c) && c != '|';
}

static const char *skip_name(const char *at)
{
    while (in_name(*at))
        at++;
    return at;
}

/* The line does not have the shape thread|op(operand)|location; `at` is where it departs from it. */
static cold_path bool misshapen(struct reader *reader, const char *at, const char *end)
{
    if (at < end && text_is_plain(*at) && *at != '|')
        return text_refuse_byte(reader, ' '); /* a second word: the scan skipped the blank before it */
    if (at < end && *at != '|')
        return text_refuse_byte(reader, *at);
    return problem_set(&reader->problem, reader->line, "expected thread|op(operand)|location");
}

static bool parse_op(struct reader *reader, struct name field, enum op *op, struct name *operand)
{
    struct text_call call;
    bool shaped = text_split_call(field, &call);
    if (!text_op(call.word, op))
        return text_refuse_op(reader, call.word);
    if (!shaped)
        return text_refuse(reader, "expected op(operand), not", field);
    *operand = call.operand;
    return text_has_operand(reader, *op, &call);
}

/* -1 is how the writer says "none" in words that RAPID can read. */
static uint32_t location_of(struct reader *reader, struct name text)
{
    if (text.length == 2 && text.text[0] == '-' && text.text[1] == '1')
        return NO_LOCATION;
    return names_location_id(&reader->names, text.text, text.length);
}

static bool parse_event(struct reader *reader, struct batch *batch, const char *at, const char *end)
{
    struct name field[3];
    for (int i = 0; i < 3; i++) {
        const char *start = text_skip_blanks(at);
        at = skip_name(start);
        field[i] = text_between(start, at);
        at = text_skip_blanks(at);
        if (field[i].length == 0 || (i < 2 ? *at != '|' : at != end))
            return misshapen(reader, at, end);
        at++;
    }
    enum op op;
    struct name operand;
    return parse_op(reader, field[1], &op, &operand) &&
           reader_put(reader, batch, op, field[0], operand, location_of(reader, field[2]));
}

/* ---- Lines of the common shape -------------------------------------------------------------------------
 *
 * What limits a parser of short lines is mispredicted branches, one for every loop over a name of varying
 * length, and then the memory that a lookup among many names has to wait for. So the common line (event with
 * an operand, no blanks, at most MARKED_BYTES long) is taken apart by bit masks, with branches only where it
 * might not be such a line: then it is left to the code above, which also words every refusal. And lines are
 * taken apart a run ahead of the lookups, which find their buckets on the way to the cache.
 */

enum { MARKED_BYTES = 64, MARKED_AT_ONCE = 32 };
_Static_assert((int)MARKED_BYTES <= (int)SOURCE_SLACK, "marks look past the end of the window");

/* One bit a byte: is it '|'; is it '('; may it not be in a name ('|' excepted)? */
struct marks {
    uint64_t bar, open, stop;
};

/* Marks MARKED_AT_ONCE bytes, from bit `shift` on. */
#ifdef __SSE2__
hot_inline void mark_some(struct marks *marks, const char *at, unsigned shift)
{
    for (unsigned i = 0; i < MARKED_AT_ONCE; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(at + i));
        __m128i bar = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('|'));
        __m128i open = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('('));
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
        __m128i stop = _mm_or_si128(low, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f)));
        marks->bar |= (uint64_t)(uint32_t)_mm_movemask_epi8(bar) << (shift + i);
        marks->open |= (uint64_t)(uint32_t)_mm_movemask_epi8(open) << (shift + i);
        marks->stop |= (uint64_t)(uint32_t)_mm_movemask_epi8(stop) << (shift + i);
    }
}
#else
hot_inline void mark_some(struct marks *marks, const char *at, unsigned shift)
{
    for (unsigned i = 0; i < MARKED_AT_ONCE; i++) {
        marks->bar |= (uint64_t)(at[i] == '|') << (shift + i);
        marks->open |= (uint64_t)(at[i] == '(') << (shift + i);
        marks->stop |= (uint64_t)!text_is_plain(at[i]) << (shift + i);
    }
}
#endif

/* Marks the line at least up to where it ends, if that is among its first MARKED_BYTES. */
hot_inline struct marks mark(const char *at)
{
    struct marks marks = {0};
    mark_some(&marks, at, 0);
    if (unlikely(marks.stop == 0))
        mark_some(&marks, at + MARKED_AT_ONCE, MARKED_AT_ONCE);
    return marks;
}

hot_inline size_t lowest(uint64_t bits)
{
    return (size_t)__builtin_ctzll(bits);
}

/* The first `length` <= 8 bytes, zero-padded. Reads 8. */
hot_inline uint64_t load_short(const char *at, size_t length)
{
    static const uint64_t kept[9] = {
        0,
        UINT64_C(0xff),
        UINT64_C(0xffff),
        UINT64_C(0xffffff),
        UINT64_C(0xffffffff),
        UINT64_C(0xffffffffff),
        UINT64_C(0xffffffffffff),
        UINT64_C(0xffffffffffffff),
        UINT64_C(0xffffffffffffffff),
    };
    uint64_t bytes;
    memcpy(&bytes, at, 8);
    return bytes & kept[length];
}

/* Eight digits at once: pairs, then fours, then all. `text` is right-aligned (last digit in the top byte) and
 * padded with '0'. */
hot_inline uint32_t eight_digits(uint64_t text)
{
    text -= UINT64_C(0x3030303030303030);
    text = (text * 10 + (text >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    text = (text * 100 + (text >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(text * 10000 + (text >> 32));
}

hot_inline bool all_digits(uint64_t text)
{
    uint64_t above = text + UINT64_C(0x4646464646464646), below = text - UINT64_C(0x3030303030303030);
    return ((above | below) & UINT64_C(0x8080808080808080)) == 0;
}

/* A decimal of at most 8 digits that stands for itself (names_location_id). */
hot_inline bool short_number(const char *at, size_t length, uint32_t *number)
{
    if (unlikely(length > 8 || (*at == '0' && length > 1)))
        return false;
    uint64_t bytes;
    memcpy(&bytes, at, 8);
    unsigned missing = 64 - 8 * (unsigned)length; /* at most 56: a location is not empty */
    uint64_t text = bytes << missing | (UINT64_C(0x30303030303030) & ~(UINT64_MAX << missing));
    *number = eight_digits(text);
    return likely(all_digits(text));
}

/* The op words by a hash without collisions: the multiplier was found by trial, and open_std() makes sure
 * that it still fits the words. */
enum { OP_SLOT_BITS = 5 };

struct op_slot {
    uint64_t word; /* zero-padded; 0: none */
    uint64_t op;
};

struct std {
    struct op_slot slot[1 << OP_SLOT_BITS];
};

hot_inline size_t op_slot(uint64_t word)
{
    return word * UINT64_C(0x31a7445bdf8bcb5d) >> (64 - OP_SLOT_BITS);
}

/* A line of the common shape, taken apart. */
struct quick {
    const char *line;
    uint64_t thread, operand; /* names_key */
    uint32_t number;          /* the location, where location_length is 0 */
    uint8_t op, thread_length, operand_at, operand_length, location_at, location_length;
};

hot_inline uint64_t quick_key(const char *at, size_t length)
{
    return likely(length <= SHORT_NAME) ? load_short(at, length) : names_key(at, length);
}

/* How many bytes end the line here: a newline, or it and a carriage return; 0: the line does not end here. */
hot_inline size_t line_ending(const char *at, const char *end)
{
    if (likely(at < end && *at == '\n'))
        return 1;
    return at + 1 < end && at[0] == '\r' && at[1] == '\n' ? 2 : 0;
}

/* Takes apart the line at the start of [at, end) and returns its length with the newline; 0 where it is not
 * of the common shape, or not whole. (word - 1 >= 8, unsigned: the word does not have 1 to 8 bytes.) */
hot_inline size_t quick_line(const struct std *std, const char *at, const char *end, struct quick *quick)
{
    struct marks marks = mark(at);
    uint64_t second_bar = marks.bar & (marks.bar - 1);
    if (unlikely(marks.stop == 0 || second_bar == 0))
        return 0;
    size_t stop = lowest(marks.stop), bar = lowest(marks.bar), bar2 = lowest(second_bar);
    uint64_t third_bar = second_bar & (second_bar - 1), in_line = (UINT64_C(1) << stop) - 1;
    uint64_t opens = marks.open & (UINT64_MAX << bar);
    size_t ending = line_ending(at + stop, end);
    if (unlikely(ending == 0 || *at == '#' || bar == 0 || bar2 + 1 >= stop || (third_bar & in_line) != 0 ||
                 opens == 0))
        return 0;
    size_t open = lowest(opens), word = open - bar - 1, location = stop - bar2 - 1;
    if (unlikely(word - 1 >= 8 || open + 2 >= bar2 || at[bar2 - 1] != ')'))
        return 0;
    uint64_t word_text = load_short(at + bar + 1, word);
    const struct op_slot *slot = &std->slot[op_slot(word_text)];
    if (unlikely(slot->word != word_text))
        return 0;
    quick->line = at;
    quick->thread = quick_key(at, bar);
    quick->operand = quick_key(at + open + 1, bar2 - open - 2);
    quick->op = (uint8_t)slot->op;
    quick->thread_length = (uint8_t)bar;
    quick->operand_at = (uint8_t)(open + 1);
    quick->operand_length = (uint8_t)(bar2 - open - 2);
    quick->location_at = (uint8_t)(bar2 + 1);
    bool is_number = short_number(at + bar2 + 1, location, &quick->number);
    quick->location_length = is_number ? 0 : (uint8_t)location;
    return stop + ending;
}

/* Takes apart up to `most` lines of the window and asks for the memory that looking up their operands will
 * touch. The lines stay where they are until the next read. */
static size_t quick_lines(struct reader *reader, struct quick *quick, size_t most)
{
    struct source *source = reader->source;
    if (source_window(source) == 0)
        return 0;
    const char *start = source->buffer + source->begin, *end = source->buffer + source->end, *at = start;
    size_t count = 0;
    while (count < most && at < end) {
        size_t length = quick_line(reader->state, at, end, &quick[count]);
        if (unlikely(length == 0))
            break;
        const struct name_table *table = &reader->names.of[op_operand[quick[count].op]];
        __builtin_prefetch(&table->bucket[names_bucket(table, quick[count].operand)]);
        at += length;
        count++;
    }
    source_take(source, (size_t)(at - start));
    return count;
}

static void put_quick(struct reader *reader, struct batch *batch, const struct quick *quick)
{
    struct names *names = &reader->names;
    const char *line = quick->line;
    struct name location = {line + quick->location_at, quick->location_length};
    struct event *event = &batch->event[batch->count];
    /* In this order: ids follow first appearance, and an operand may be a thread. */
    event->thread = names_keyed_id(names, NAME_THREAD, quick->thread, line, quick->thread_length);
    event->target = names_keyed_id(names, op_operand[quick->op], quick->operand, line + quick->operand_at,
                                   quick->operand_length);
    event->location = likely(location.length == 0) ? quick->number : location_of(reader, location);
    event->op = quick->op;
    event->flags = 0;
    event->unused = 0;
    batch->line[batch->count++] = ++reader->line;
}

/* Can every class take the names of so many events? */
static bool has_room(const struct names *names, size_t events)
{
    for (int class = 0; class < NAME_CLASSES; class ++)
        if (names->of[class].count + 2 * events > MOST_IDS)
            return false;
    return true;
}

enum { RUN_LINES = 64 };

/* Events from lines of the common shape, until the batch is full or a line is different. */
static void put_quick_runs(struct reader *reader, struct batch *batch)
{
    struct quick run[RUN_LINES];
    size_t most, count;
    do {
        most = min_size(RUN_LINES, BATCH_EVENTS - batch->count);
        if (!has_room(&reader->names, most))
            return;
        count = quick_lines(reader, run, most);
        for (size_t i = 0; i < count; i++)
            put_quick(reader, batch, &run[i]);
    } while (count == RUN_LINES);
}

static enum read_result fill(struct reader *reader, struct batch *batch)
{
    enum read_result result = READ_EVENTS;
    const char *line;
    size_t length;
    while (put_quick_runs(reader, batch), batch->count < BATCH_EVENTS) {
        if (!reader_line(reader, &line, &length, &result))
            return result;
        const char *start = text_skip_blanks(line), *end = line + length;
        if (start < end && *start != '#' && !parse_event(reader, batch, start, end))
            return READ_BAD;
    }
    return READ_EVENTS;
}

/* Comments and blank lines only are an empty trace; otherwise the first line that is neither has fields, good
 * or bad: then the reason that fill() gives helps more than "unknown format". */
static bool recognise(const char *head, size_t length)
{
    struct name line;
    bool whole;
    if (!text_next_line(&head, head + length, &line, &whole))
        return true;
    return text_is_plain(*line.text) && memchr(line.text, '|', line.length) != NULL &&
           memchr(line.text, '\0', line.length) == NULL;
}

static bool open_std(struct reader *reader)
{
    struct std *std = mem_alloc(&reader->mem, sizeof *std);
    for (unsigned op = 0; op < OP_COUNT; op++) {
        uint64_t word = 0;
        memcpy(&word, op_word[op], strlen(op_word[op]));
        require(std->slot[op_slot(word)].word == 0);
        std->slot[op_slot(word)] = (struct op_slot){.word = word, .op = op};
    }
    reader->state = std;
    return true;
}

static void close_std(struct reader *reader)
{
    mem_free(&reader->mem, reader->state, sizeof(struct std));
}

const struct trace_format trace_std = {
    .name = "std",
    .about = "RAPID's text format, one thread|op(operand)|location a line",
    .recognise = recognise,
    .open = open_std,
    .fill = fill,
    .close = close_std,
};
