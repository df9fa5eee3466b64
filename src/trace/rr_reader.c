/* RoadRunner's text: `@ Op(thread,operand) shadow file:line:col`, one event a line.
 *
 * This is what RAPID's PrintSubsetTool prints among RoadRunner's other output, which is skipped: every line
 * that does not begin with '@'. A line that does and is no event is refused.
 *
 * Beyond RAPID: volatile accesses (VRd, VWr); an access without a location counts, where RAPID drops it.
 * The last of two or more words behind the event is its location; a single one is RoadRunner's shadow state.
 */
#include "trace/text.h"

#include <string.h>

/* Array accesses (A...) are accesses. */
static const struct rr_op {
    const char *word;
    enum op op;
} rr_ops[] = {
    {"Rd", OP_READ},     {"Wr", OP_WRITE},   {"ARd", OP_READ},        {"AWr", OP_WRITE},
    {"VRd", OP_VREAD},   {"VWr", OP_VWRITE}, {"Acquire", OP_ACQUIRE}, {"Release", OP_RELEASE},
    {"Start", OP_FORK},  {"Join", OP_JOIN},  {"Enter", OP_BEGIN},     {"Exit", OP_END},
    {"Dummy", OP_DUMMY},
};

static bool find_op(struct name word, enum op *op)
{
    for (size_t i = 0; i < array_length(rr_ops); i++)
        if (strlen(rr_ops[i].word) == word.length && memcmp(rr_ops[i].word, word.text, word.length) == 0) {
            *op = rr_ops[i].op;
            return true;
        }
    return false;
}

static struct name next_word(const char **at, const char *end)
{
    while (*at < end && text_is_blank(**at))
        (*at)++;
    const char *start = *at;
    while (*at < end && text_is_plain(**at))
        (*at)++;
    return text_between(start, *at);
}

/* The location among the words that follow the event. False: a byte that is in no word. */
static bool parse_location(struct reader *reader, const char *at, const char *end, uint32_t *location)
{
    struct name word = next_word(&at, end), last = word;
    unsigned words = 0;
    for (; word.length > 0; word = next_word(&at, end)) {
        last = word;
        words++;
    }
    if (at < end)
        return text_refuse_byte(reader, *at);
    *location = words < 2 ? NO_LOCATION : names_location_id(&reader->names, last.text, last.length);
    return true;
}

/* The line from behind its '@'. */
static bool parse_event(struct reader *reader, struct batch *batch, const char *at, const char *end)
{
    struct name line = text_between(at - 1, end), event = next_word(&at, end);
    struct text_call call;
    enum op op;
    if (at < end && !text_is_blank(*at))
        return text_refuse_byte(reader, *at);
    if (event.text == line.text + 1 || event.length == 0 || !text_split_call(event, &call) ||
        !call.has_operand)
        return text_refuse(reader, "expected @ Op(thread,operand), not", line);
    if (!find_op(call.word, &op))
        return text_refuse(reader, "unknown RoadRunner event", call.word);
    const char *arguments = call.operand.text, *arguments_end = arguments + call.operand.length;
    const char *comma = memchr(arguments, ',', call.operand.length);
    if (comma == NULL || comma == arguments || comma + 1 == arguments_end)
        return text_refuse(reader, "expected (thread,operand) in", event);
    uint32_t location = NO_LOCATION;
    return parse_location(reader, at, end, &location) &&
           reader_put(reader, batch, op, text_between(arguments, comma),
                      text_between(comma + 1, arguments_end), location);
}

/* A text without a single event is another text: to call it race-free would be a lie. */
static cold_path enum read_result no_events(struct reader *reader)
{
    problem_set(&reader->problem, reader->line, "no line begins with @: these are no RoadRunner events");
    return READ_BAD;
}

static enum read_result fill(struct reader *reader, struct batch *batch)
{
    enum read_result result = READ_EVENTS;
    const char *line;
    size_t length;
    while (batch->count < BATCH_EVENTS) {
        if (!reader_line(reader, &line, &length, &result)) {
            if (result == READ_END && reader->line > 0 && reader->events + batch->count == 0)
                return no_events(reader);
            return result;
        }
        if (length > 0 && *line == '@' && !parse_event(reader, batch, line + 1, line + length))
            return READ_BAD;
    }
    return READ_EVENTS;
}

/* Does the line begin as an event does? */
static bool starts_event(const char *line, const char *end)
{
    enum op op;
    if (end - line < 2 || line[0] != '@' || !text_is_blank(line[1]))
        return false;
    line++;
    struct name event = next_word(&line, end);
    const char *open = memchr(event.text, '(', event.length);
    return open != NULL && find_op(text_between(event.text, open), &op);
}

/* Some line begins as an event does, whatever other output comes before it. */
static bool recognise(const char *head, size_t length)
{
    const char *end = head + length;
    while (head < end) {
        if (starts_event(head, end))
            return true;
        const char *newline = memchr(head, '\n', (size_t)(end - head));
        head = newline != NULL ? newline + 1 : end;
    }
    return false;
}

static bool open_rr(struct reader *reader)
{
    (void)reader;
    return true;
}

static void close_rr(struct reader *reader)
{
    (void)reader;
}

const struct trace_format trace_rr = {
    .name = "rr",
    .about = "RoadRunner's output, one @ Op(thread,operand) shadow location a line",
    .recognise = recognise,
    .open = open_rr,
    .fill = fill,
    .close = close_rr,
};
