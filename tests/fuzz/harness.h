/* What every fuzz target does with its bytes: read them as a trace, check what comes out, analyze it. */
#pragma once

#include "trace/reader.h"
#include "trace/writer.h"

/* Not `require`: a fuzzer wants an abort, with a stack. */
#define fuzz_require(c) ((c) ? (void)0 : fuzz_failed(#c, __FILE__, __LINE__))
_Noreturn void fuzz_failed(const char *what, const char *file, int line);

/* What was read. Two readings are the same trace iff events and the two digests agree. */
struct fuzz_trace {
    bool opened;
    enum read_result result;
    uint64_t events;
    uint64_t event_digest;
    uint64_t name_digest; /* of every class, up to the highest id that an event uses */
};

struct fuzz_options {
    const struct trace_format *format;
    bool salvage;
    bool analyze;                   /* feasibility, then fasttrack2 */
    const struct writer_format *to; /* write what is read, or NULL */
    char *written;                  /* malloc'd; the caller frees it */
    size_t written_size;
};

/* Reads all of it. Whatever the bytes are, ids must be in range, numbers consecutive, and a refusal must have
 * a reason. */
struct fuzz_trace fuzz_read(struct fuzz_options *options, const void *bytes, size_t size);
