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
#include "cli/output.h"
#include "trace/tape.h"

struct transcript;

struct transcript *transcript_new(void);
void transcript_free(struct transcript *transcript);

/* The modules of the process as they are now. */
void transcript_modules(struct transcript *transcript, uint32_t pid);

/* How many slots of a window may be gone through, from the first. What lies in a program's memory it may
 * overwrite: fewer than are written, if there is one that no recorder wrote. */
size_t transcript_sound(const struct tape_slot *slots, size_t count);

/* The first time: windows in their order, sound slots only. */
void transcript_look(struct transcript *transcript, const struct tape_slot *slots, size_t count);

/* The second time: again all of them, into the trace. False: it cannot be written. */
void transcript_again(struct transcript *transcript, struct output *output);
bool transcript_write(struct transcript *transcript, const struct tape_slot *slots, size_t count,
                      struct problem *problem);
bool transcript_end(struct transcript *transcript, struct problem *problem);

struct transcript_counts {
    uint64_t accesses; /* as the program made them */
    uint64_t events;   /* of the trace */
};
struct transcript_counts transcript_counts(const struct transcript *transcript);
