/* .pft: any bytes; what salvage takes is what a strict reading delivers before it refuses; and what is read,
 * written and read again is the same trace.
 *
 * Random changes rarely pass a checksum, and never a compressed payload. So the mutator changes three ways:
 * the bytes as they are; the bytes with all checksums made right again; and one block's payload, decompressed
 * and compressed again, which reaches the names and columns.
 */
#include "trace/pft.h"

#include "harness.h"

#include <stdlib.h>

#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_options first = {.format = &trace_pft, .analyze = true, .to = &writer_pft};
    struct fuzz_trace strict = fuzz_read(&first, bytes, size);
    struct fuzz_options second = {.format = &trace_pft, .salvage = true};
    struct fuzz_trace salvaged = fuzz_read(&second, bytes, size);
    fuzz_require(salvaged.opened == strict.opened);
    fuzz_require(salvaged.events == strict.events && salvaged.event_digest == strict.event_digest);
    if (strict.opened) {
        struct fuzz_options third = {.format = &trace_pft};
        struct fuzz_trace again = fuzz_read(&third, first.written, first.written_size);
        fuzz_require(salvaged.result == READ_END && again.opened && again.result == READ_END);
        fuzz_require(again.events == strict.events && again.event_digest == strict.event_digest &&
                     again.name_digest == strict.name_digest);
    }
    free(first.written);
    return 0;
}

/* ---- the mutator ---- */

enum { HEADER = sizeof(struct pft_header), BLOCK = sizeof(struct pft_block), MOST_RAW = 1 << 16 };

/* The block at `at`, its stored size cut to what is there. False: there is no room for one. */
static bool block_at(const uint8_t *bytes, size_t size, size_t at, struct pft_block *block)
{
    if (at > size || size - at < BLOCK)
        return false;
    memcpy(block, bytes + at, BLOCK);
    if (block->stored > size - at - BLOCK)
        block->stored = (uint32_t)(size - at - BLOCK);
    return true;
}

/* Makes magics, checksums and the order of blocks right, whatever the rest is. */
static void repair(uint8_t *bytes, size_t size)
{
    if (size < HEADER)
        return;
    struct pft_header header;
    memcpy(&header, bytes, HEADER);
    memcpy(header.magic, PFT_MAGIC, sizeof header.magic);
    header.version = PFT_VERSION;
    header.checksum = pft_checksum(&header, offsetof(struct pft_header, checksum));
    memcpy(bytes, &header, HEADER);
    struct pft_block block;
    uint64_t first = 1;
    for (size_t at = HEADER; block_at(bytes, size, at, &block); at += BLOCK + block.stored) {
        memcpy(block.magic, PFT_BLOCK_MAGIC, sizeof block.magic);
        block.first = first;
        first += block.events;
        memcpy(bytes + at, &block, BLOCK);
        block.checksum = pft_block_checksum((const char *)bytes + at, block.stored);
        memcpy(bytes + at, &block, BLOCK);
    }
}

static size_t count_blocks(const uint8_t *bytes, size_t size)
{
    size_t count = 0;
    struct pft_block block;
    for (size_t at = HEADER; block_at(bytes, size, at, &block); at += BLOCK + block.stored)
        count++;
    return count;
}

/* Changes what the block at `at` holds. Returns the new size, 0 where that was not possible. */
static size_t mutate_payload(uint8_t *bytes, size_t size, size_t most, size_t at)
{
    static uint8_t raw[MOST_RAW], stored[2 * MOST_RAW];
    struct pft_block block;
    if (!block_at(bytes, size, at, &block))
        return 0;
    size_t old_end = at + BLOCK + block.stored;
    size_t raw_size = ZSTD_decompress(raw, sizeof raw, bytes + at + BLOCK, block.stored);
    if (ZSTD_isError(raw_size))
        return 0;
    raw_size = LLVMFuzzerMutate(raw, raw_size, sizeof raw);
    size_t stored_size = ZSTD_compress(stored, sizeof stored, raw, raw_size, 1);
    if (ZSTD_isError(stored_size) || size - (old_end - at) + BLOCK + stored_size > most)
        return 0;
    memmove(bytes + at + BLOCK + stored_size, bytes + old_end, size - old_end);
    memcpy(bytes + at + BLOCK, stored, stored_size);
    block.raw = (uint32_t)raw_size;
    block.stored = (uint32_t)stored_size;
    memcpy(bytes + at, &block, BLOCK);
    return size - (old_end - at) + BLOCK + stored_size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    unsigned way = seed % 4;
    size_t blocks = count_blocks(bytes, size), changed = 0;
    if (way >= 2 && blocks > 0) {
        size_t at = HEADER, which = seed / 4 % blocks;
        struct pft_block block;
        for (size_t i = 0; i < which && block_at(bytes, size, at, &block); i++)
            at += BLOCK + block.stored;
        changed = mutate_payload(bytes, size, most, at);
    }
    if (changed == 0)
        changed = LLVMFuzzerMutate(bytes, size, most);
    if (way != 0)
        repair(bytes, changed);
    return changed;
}
