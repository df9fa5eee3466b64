/* From a tape (trace/tape.h) to a trace: what the program did to bytes becomes what it did to variables, and
 * addresses become names. The tape is gone through twice, for reasons given in trace/lives.h; the trace needs
 * nothing that traces did not have before.
 *
 * What a detector makes of accesses that are atomic or only compared, in reads and writes of variables. Each
 * run of bytes that are always accessed together has
 *
 *   access         V           V~T of each thread T that ever writes it atomically     V?n of each plain
 * write plain read     read        read (not by T itself) plain write    write       write (not by T itself)
 * write, of a new one atomic read    read atomic write               write of the writer's own compared read
 * of the latest
 *
 * so that two accesses meet in a variable, and one writes it, if and only if they are in conflict; accesses
 * that are compared, not remembered, only with what was before. Variables of the last two kinds are there
 * only where they are needed.
 *
 * What was posted becomes a volatile that is written once, and read by whoever learns it. The volatile is
 * used again when nobody can learn it any more, by the same thread: all that it knew then it still knows.
 */
#pragma once

#include "base/problem.h"
#include "trace/book.h"

struct transcript;

/* Names go to `names`; what sites and variables are called is in the book. Both are borrowed. */
struct transcript *transcript_new(struct names *names, struct book *book);
void transcript_free(struct transcript *transcript);

/* The first time: all slots in their order, sound ones (trace/tape_decode.h). */
void transcript_look(struct transcript *transcript, const struct tape_slot *slot);

/* The second time: again all of them. What one means is events that can be taken before the next is given.
 * False: that cannot be a trace. */
void transcript_again(struct transcript *transcript);
bool transcript_write(struct transcript *transcript, const struct tape_slot *slot, struct problem *problem);
const struct event *transcript_events(const struct transcript *transcript, size_t *count);
