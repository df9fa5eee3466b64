/* A trace that is made up on the spot and goes straight into a detector, block by block: no file, no storage.
 *
 * Only the time inside replay_feed is counted, so what it costs to make the events up does not matter.
 * The world is closed: thread 0 runs first, all others are forked. Things get their names when their ids
 * first appear, as when a file is read, so that tables grow as they would.
 */
#pragma once

#include "replay/replay.h"

enum { STREAM_BLOCK = 4096 }; /* 64 KiB of events: reading the clock twice a block costs 0.1 ns an event */

struct stream {
    struct replay replay;
    struct names names;
    double seconds;    /* CPU time of the detector and the framework around it */
    uint64_t accesses; /* put so far */
    size_t count;
    struct event event[STREAM_BLOCK];
};

void stream_open(struct stream *stream, const struct detector *detector);
void stream_flush(struct stream *stream);

/* After stream_flush, races and statistics are in stream->replay until here. */
void stream_close(struct stream *stream);

static inline void stream_put(struct stream *s, uint32_t thread, enum op op, uint32_t target)
{
    if (unlikely(s->count == STREAM_BLOCK))
        stream_flush(s);
    s->event[s->count++] = (struct event){.thread = thread, .op = (uint8_t)op, .target = target};
    s->accesses += op_is_access(op);
}

/* Thread 0 forks (or joins) all others. */
void stream_put_all(struct stream *stream, enum op op, uint32_t threads);
