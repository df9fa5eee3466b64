/* RAPID's CSV: any bytes. */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_options options = {.format = &trace_csv, .analyze = true};
    fuzz_read(&options, bytes, size);
    return 0;
}
