/* The three small programs of 004 §4, each run by simulated threads that take turns at random.
 *
 * A turn is one critical section. The last thing that happens before the joins is one planted race (on a
 * variable of its own, by the first two threads): every precise detector must find one racy variable, or none
 * when there is only one thread.
 */
#pragma once

#include "stream.h"

struct spots;

struct spot_program {
    const char *name;
    const char *about;
    uint32_t variables;
    void (*turn)(struct stream *stream, struct spots *spots, uint32_t thread);
};

extern const struct spot_program spot_programs[];
enum { SPOT_PROGRAMS = 3, MOST_SPOT_THREADS = 256 };

/* Opens the stream, runs the program for about that many accesses, flushes. The caller closes. */
void spots_run(const struct spot_program *program, struct stream *stream, const struct detector *detector,
               uint32_t threads, uint64_t accesses);

static inline uint64_t spots_racy(uint32_t threads)
{
    return threads > 1 ? 1 : 0;
}
