#include "trace/tape_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* zstd's level, and how many places it remembers to find matches at, as a power of 2. By itself it would take
 * 2^13: files become 2 % smaller, and what compresses badly takes a third longer. */
enum { FASTEST = 1, FEW_PLACES = 10 };

enum {
    WORTH_WRITING = 128 << 10,
    MOST_BLOCK = sizeof(struct tape_file_block) + ZSTD_COMPRESSBOUND(TAPE_MOST_RAW),
    BUFFER = WORTH_WRITING + MOST_BLOCK,
    ROOM_FOR_THE_END = 512 << 10, /* names, mostly */
    CUTS = array_length(((struct tape_file *)NULL)->cut)
};

_Static_assert((CUTS - 1) * WORTH_WRITING >= ROOM_FOR_THE_END, "so far back is the first cut");

uint64_t tape_file_checksum(const void *bytes, size_t size)
{
    return XXH64(bytes, size, 0);
}

static void start_cuts(struct tape_file *f, uint64_t at)
{
    for (size_t i = 0; i < CUTS; i++)
        f->cut[i] = at;
}

static ZSTD_CCtx *compressor(void)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (zstd == NULL)
        tool_failed("out of memory");
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, FASTEST);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog, FEW_PLACES);
    return zstd;
}

void tape_file_start(struct tape_file *f, int fd)
{
    struct tape_file_header header = {.version = TAPE_FILE_VERSION};
    *f = (struct tape_file){.fd = fd, .buffer = malloc(BUFFER), .zstd = compressor()};
    if (f->buffer == NULL)
        tool_failed("out of memory");
    memcpy(header.magic, TAPE_FILE_MAGIC, sizeof header.magic);
    header.checksum = tape_file_checksum(&header, offsetof(struct tape_file_header, checksum));
    memcpy(f->buffer, &header, sizeof header);
    f->used = sizeof header;
    start_cuts(f, sizeof header);
    f->start = fcntl(fd, F_GETFL) & O_APPEND ? -1 : lseek(fd, 0, SEEK_CUR);
}

bool tape_file_flush(struct tape_file *f)
{
    for (size_t done = 0; f->error == 0 && done < f->used;) {
        ssize_t wrote = write(f->fd, f->buffer + done, f->used - done);
        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote == 0 || errno != EINTR)
            f->error = wrote == 0 ? ENOSPC : errno;
    }
    if (f->error != 0)
        return false;
    f->size += f->used;
    f->used = 0;
    if (f->size - f->cut[CUTS - 1] >= WORTH_WRITING) {
        memmove(f->cut, f->cut + 1, (CUTS - 1) * sizeof *f->cut);
        f->cut[CUTS - 1] = f->size;
    }
    return true;
}

/* What does not become smaller stays as it is. */
static size_t pack(struct tape_file *f, char *to, const void *payload, size_t size)
{
    size_t stored = ZSTD_compress2(f->zstd, to, ZSTD_compressBound(size), payload, size);
    if (!ZSTD_isError(stored) && stored < size)
        return stored;
    memcpy(to, payload, size);
    return size;
}

bool tape_file_put(struct tape_file *f, struct tape_file_block block, const void *payload, size_t size)
{
    require(size <= TAPE_MOST_RAW);
    if (f->error != 0)
        return false;
    char *at = f->buffer + f->used;
    memcpy(block.magic, TAPE_BLOCK_MAGIC, sizeof block.magic);
    block.raw = (uint32_t)size;
    block.stored = size == 0 ? 0 : (uint32_t)pack(f, at + sizeof block, payload, size);
    memcpy(at, &block, sizeof block);
    block.checksum =
        tape_file_checksum(at + TAPE_CHECKED_FROM, sizeof block - TAPE_CHECKED_FROM + block.stored);
    memcpy(at, &block, sizeof block);
    f->used += sizeof block + block.stored;
    return f->used < WORTH_WRITING || tape_file_flush(f);
}

bool tape_file_take_back(struct tape_file *f)
{
    off_t cut = f->start + (off_t)f->cut[0];
    if (f->start < 0 || ftruncate(f->fd, cut) != 0 || lseek(f->fd, cut, SEEK_SET) < 0)
        return false;
    bool empty = f->size < f->cut[0]; /* not even the header is there */
    f->size = f->cut[0];
    start_cuts(f, f->size);
    f->error = 0;
    f->used = 0;
    return !empty;
}

void tape_file_free(struct tape_file *f)
{
    free(f->buffer);
    ZSTD_freeCCtx(f->zstd);
}
