/* The layout of a .pft file, shared by its reader and its writer. docs/formats-pft.md tells it byte by byte.
 *
 *   file    = pft_header, EVENTS blocks, one END block; everything little-endian
 *   block   = pft_block, then `stored` bytes: zstd frames that together decompress to `raw` bytes
 *   raw     = names new in this block, per class in id order; then four columns: op, thread, target, location
 *             (first width and base of each, then the planes of each)
 *   column  = one value an event, = base + delta (mod 2^32); plane k holds byte k of every delta, and where
 *             deltas have an odd number of hexadecimal digits, the last plane packs two digits a byte
 *
 * Why planes: the low bytes of ids are close to noise, which is stored as it is and decoded at the speed of
 * memcpy; the high ones are close to constant. Interleaved, zstd does both badly. Why half bytes: decoding
 * costs by the byte, and ops, threads and the upper part of most targets need less than one.
 * Why a base: NO_TARGET and NO_LOCATION (all ones) are next to small ids: base = all ones, delta = id + 1.
 *
 * Why a block never reaches back: its events need the names of earlier blocks, and nothing else.
 */
#pragma once

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/event.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "fields are read and written as they lie in memory");

/* As PNG does it: a byte that no text begins with, and line ends that a transfer as text would change. */
#define PFT_MAGIC       "\x89PFT\r\n\x1a\n"
#define PFT_BLOCK_MAGIC "PFTBLOCK"

enum { PFT_VERSION = 1 };

enum pft_flag {
    PFT_CLOSED_WORLD = 1, /* every thread but the first is forked before its first event */
    PFT_KNOWN_FLAGS = PFT_CLOSED_WORLD
};

struct pft_header {
    char magic[8];
    uint16_t version;
    uint16_t flags;
    uint32_t zero;
    uint64_t checksum; /* XXH64 of the 16 bytes before it */
};
_Static_assert(sizeof(struct pft_header) == 24, "as it lies in the file");

enum pft_kind { PFT_EVENTS = 1, PFT_END = 2 };

struct pft_block {
    char magic[8];
    uint64_t checksum; /* XXH64 of everything after this field up to the end of the payload */
    uint32_t kind;
    uint32_t events;
    uint64_t first; /* number of the first event; of END: one more than there are */
    uint32_t raw, stored;
};
_Static_assert(sizeof(struct pft_block) == 40, "as it lies in the file");

enum { PFT_CHECKED_FROM = offsetof(struct pft_block, kind) };

enum pft_column_index { PFT_OP, PFT_THREAD, PFT_TARGET, PFT_LOCATION, PFT_COLUMNS };

/* Of each column: u8 digits of its deltas (0: all values are the base), u32 base. */
enum { PFT_COLUMN_HEADER = 5, PFT_MOST_DIGITS = 8 };

/* Limits that bound what a reader allocates for one block. A writer that meets many or long names ends the
 * block early; a block may have names and no events. */
enum {
    PFT_BLOCK_EVENTS = 16384,
    PFT_MOST_RAW = 64 << 20,
    PFT_MOST_STORED = PFT_MOST_RAW + (1 << 20) /* what zstd may add to what it cannot compress */
};

hot_inline uint64_t pft_checksum(const void *bytes, size_t size)
{
    return XXH64(bytes, size, 0);
}

/* block: the header with its payload behind it. */
hot_inline uint64_t pft_block_checksum(const char *block, size_t stored)
{
    return pft_checksum(block + PFT_CHECKED_FROM, sizeof(struct pft_block) - PFT_CHECKED_FROM + stored);
}

/* Bytes of the planes of a column. */
hot_inline size_t pft_planes_size(unsigned digits, size_t events)
{
    return digits / 2 * events + digits % 2 * ((events + 1) / 2);
}
