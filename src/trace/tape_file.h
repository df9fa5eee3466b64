/* A recording: a tape (trace/tape.h) in a file, as `photofinish record` writes it. docs/formats-recording.md
 * describes it.
 *
 * A header, then blocks, each checksummed and compressed by itself, in the order in which they became full: a
 * prefix of a recording is a recording of less. */
#pragma once

#include <zstd.h>

#include "base/mem.h"
#include "base/problem.h"
#include "trace/tape.h"

#define TAPE_FILE_MAGIC  "\x89PFR\r\n\x1a\n"
#define TAPE_BLOCK_MAGIC "PFRBLOCK"

enum { TAPE_FILE_VERSION = 4 };

struct tape_file_header {
    char magic[8];
    uint16_t version, flags;
    uint32_t zero;
    uint64_t checksum; /* XXH64 of the 16 bytes before it */
};
_Static_assert(sizeof(struct tape_file_header) == 24, "as it lies in the file");

/* Besides enum tape_stream. */
enum tape_file_kind { TAPE_MODULES = 4, TAPE_TEXTS, TAPE_VARIABLES, TAPE_END, TAPE_MORE_ACCESSES };

struct tape_file_block {
    char magic[8];
    uint64_t checksum; /* XXH64 of everything after this field up to the end of the payload */
    uint32_t kind;     /* enum tape_stream, enum tape_file_kind */
    uint32_t thread;   /* of accesses; of END: 1 if some were lost */
    uint64_t first; /* as in struct tape_head; of the spine 0: it goes on where the last block has ended, as
                          MORE_ACCESSES do; of END: how many accesses there are */
    uint32_t accesses;
    uint32_t raw, stored; /* sizes of the payload; equal: it is not compressed */
    uint32_t zero;
};
_Static_assert(sizeof(struct tape_file_block) == 48, "as it lies in the file");

enum { TAPE_MOST_RAW = 1 << 20, TAPE_CHECKED_FROM = 16 };

uint64_t tape_file_checksum(const void *bytes, size_t size);

/* --- writing --- */

struct tape_file {
    int fd;
    int64_t start;   /* where the recording begins; -1: what is written cannot be taken back */
    int error;       /* of the first write that failed: nothing more is written */
    uint64_t size;   /* written so far */
    uint64_t cut[5]; /* ends of blocks, each some way behind the one before */
    char *buffer;    /* whole blocks, not written yet */
    size_t used;
    ZSTD_CCtx *zstd;
};

/* The header is written with the first block. */
void tape_file_start(struct tape_file *file, int fd);

/* The checksum, sizes and magic of `block` are filled in. */
bool tape_file_put(struct tape_file *file, struct tape_file_block block, const void *payload, size_t size);
bool tape_file_flush(struct tape_file *file);

/* There was no room. Takes back some of what was written last, so that there is a little; false: that cannot
 * be. */
bool tape_file_take_back(struct tape_file *file);

void tape_file_free(struct tape_file *file);
