/* STD: any bytes; and what is read, written and read again is the same trace. */
#include "harness.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_options first = {.format = &trace_std, .analyze = true, .to = &writer_std};
    struct fuzz_trace read = fuzz_read(&first, bytes, size);
    if (read.opened) {
        struct fuzz_options second = {.format = &trace_std};
        struct fuzz_trace again = fuzz_read(&second, first.written, first.written_size);
        /* Not the names: one that looks like an escape is written as one. */
        fuzz_require(again.opened && again.result == READ_END);
        fuzz_require(again.events == read.events && again.event_digest == read.event_digest);
    }
    free(first.written);
    return 0;
}
