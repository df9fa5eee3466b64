/* Block compressor: a thread reads blocks from the input, THREADS threads compress them, another writes them
 * out in the order of the input; at most WAITING blocks are under way. Then all is decompressed and compared.
 * SIZE is the number of bytes.
 *
 * A block is its compressed length, its plain length, a checksum of its bytes, 4 bytes each, and sequences: a
 * number of bytes to take as they are, the bytes, how far back the next ones have been before, and how many
 * of them. A number is 7 bits a byte, the last one below 128; the last sequence ends behind its bytes. */
#include <string.h>

#include "program.h"

enum {
    BLOCK = 1 << 14,
    WAITING = 16,
    HEADER = 12,
    SHORTEST = 4,
    HASH_BITS = 12,
    LARGEST = HEADER + BLOCK + BLOCK / 8
};

/* Block number N is in job N % WAITING. A job is handed from the reader to a worker, to the writer, and back.
 */
static struct job {
    enum state { FREE, READ, TAKEN, COMPRESSED } state;
    size_t plain_length, length;
    uint8_t plain[BLOCK];
    uint8_t compressed[LARGEST];
} * job;

static size_t blocks, next_to_compress;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER, read_in = PTHREAD_COND_INITIALIZER,
                      compressed = PTHREAD_COND_INITIALIZER;

static uint8_t *input, *output;
static size_t output_length;

static uint8_t *put_u32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        *at++ = (uint8_t)(value >> 8 * i);
    return at;
}

static uint32_t get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint8_t *put_number(uint8_t *at, size_t value)
{
    for (; value >= 128; value >>= 7)
        *at++ = (uint8_t)(value | 128);
    *at++ = (uint8_t)value;
    return at;
}

static size_t get_number(const uint8_t **at)
{
    size_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (size_t)(byte & 127) << shift;
        if (byte < 128 || shift > 28)
            return value;
    }
}

static uint32_t checksum(const uint8_t *byte, size_t length)
{
    uint64_t a = 1, b = 0; /* no overflow: b is at most 128 * BLOCK * BLOCK */
    for (size_t i = 0; i < length; i++) {
        a += byte[i];
        b += a;
    }
    return (uint32_t)(b % 65521 << 16 | a % 65521);
}

static unsigned hash_of(const uint8_t *at)
{
    return get_u32(at) * 2654435761u >> (32 - HASH_BITS);
}

static size_t same_bytes(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    size_t same = 0;
    while (b + same < end && a[same] == b[same])
        same++;
    return same;
}

static uint8_t *put_bytes(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
    to = put_number(to, (size_t)(end - from));
    while (from < end)
        *to++ = *from++;
    return to;
}

/* Returns the end of what it wrote. */
static uint8_t *compress(uint8_t *to, const uint8_t *plain, size_t length)
{
    uint16_t seen[1 << HASH_BITS] = {0}; /* where bytes of that hash were last, plus 1 */
    const uint8_t *end = plain + length, *unwritten = plain, *at = plain;
    while (end - at >= SHORTEST) {
        uint16_t *place = &seen[hash_of(at)];
        const uint8_t *before = *place == 0 ? NULL : plain + *place - 1;
        size_t same = before == NULL ? 0 : same_bytes(before, at, end);
        *place = (uint16_t)(at - plain + 1);
        if (same < SHORTEST) {
            at++;
            continue;
        }
        to = put_bytes(to, unwritten, at);
        to = put_number(to, (size_t)(at - before));
        to = put_number(to, same);
        at += same;
        unwritten = at;
    }
    return put_bytes(to, unwritten, end);
}

static void compress_job(struct job *j)
{
    uint8_t *end = compress(j->compressed + HEADER, j->plain, j->plain_length);
    j->length = (size_t)(end - j->compressed);
    uint8_t *at = put_u32(j->compressed, (uint32_t)j->length);
    at = put_u32(at, (uint32_t)j->plain_length);
    put_u32(at, checksum(j->plain, j->plain_length));
}

static void wait_for(struct job *j, enum state state, pthread_cond_t *changed)
{
    pthread_mutex_lock(&lock);
    while (j->state != state)
        pthread_cond_wait(changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void hand_over(struct job *j, enum state state, pthread_cond_t *changed)
{
    pthread_mutex_lock(&lock);
    j->state = state;
    pthread_mutex_unlock(&lock);
    pthread_cond_broadcast(changed);
}

static void *read_blocks(void *unused)
{
    for (size_t i = 0; i < blocks; i++) {
        struct job *j = &job[i % WAITING];
        wait_for(j, FREE, &freed);
        j->plain_length = i + 1 < blocks ? BLOCK : size - i * BLOCK;
        memcpy(j->plain, input + i * BLOCK, j->plain_length);
        hand_over(j, READ, &read_in);
    }
    return unused;
}

/* NULL if all blocks are taken. */
static struct job *take_job(void)
{
    struct job *j = NULL;
    pthread_mutex_lock(&lock);
    while (next_to_compress < blocks && job[next_to_compress % WAITING].state != READ)
        pthread_cond_wait(&read_in, &lock);
    if (next_to_compress < blocks) {
        j = &job[next_to_compress++ % WAITING];
        j->state = TAKEN;
    }
    pthread_mutex_unlock(&lock);
    return j;
}

static void work(unsigned me)
{
    (void)me;
    for (struct job *j = take_job(); j != NULL; j = take_job()) {
        compress_job(j);
        hand_over(j, COMPRESSED, &compressed);
    }
    pthread_cond_broadcast(&read_in);
}

static void *write_blocks(void *unused)
{
    for (size_t i = 0; i < blocks; i++) {
        struct job *j = &job[i % WAITING];
        wait_for(j, COMPRESSED, &compressed);
        memcpy(output + output_length, j->compressed, j->length);
        output_length += j->length;
        hand_over(j, FREE, &freed);
    }
    return unused;
}

/* Returns the number of bytes, or 0 if they are not a block. */
static size_t decompress(uint8_t *plain, const uint8_t *block, size_t most)
{
    const uint8_t *at = block + HEADER, *end = block + get_u32(block);
    size_t length = get_u32(block + 4), done = 0;
    while (length <= most && at < end) {
        size_t count = get_number(&at);
        if (count > length - done)
            return 0;
        for (size_t i = 0; i < count; i++)
            plain[done++] = *at++;
        if (at == end)
            break;
        size_t back = get_number(&at);
        count = get_number(&at);
        if (back > done || count > length - done)
            return 0;
        for (size_t i = 0; i < count; i++, done++)
            plain[done] = plain[done - back];
    }
    return done == length && checksum(plain, length) == get_u32(block + 8) ? length : 0;
}

/* The number of bytes that come back as they were. */
static size_t compare(void)
{
    uint8_t plain[BLOCK];
    size_t right = 0, done = 0;
    for (const uint8_t *at = output; at < output + output_length; at += get_u32(at)) {
        size_t length = decompress(plain, at, size - done < BLOCK ? size - done : BLOCK);
        if (length == 0)
            return right;
        for (size_t i = 0; i < length; i++)
            right += plain[i] == input[done + i];
        done += length;
    }
    return right;
}

/* Lines as a log has them: much of a line was there before. */
static void make_input(void)
{
    static const char *const words[] = {"GET ",    "PUT ",   "/index",   "/image", "/user/",       "status=",
                                        "200 OK ", "error ", "timeout ", "bytes=", "127.0.0.1 - ", "\n"};
    uint32_t seed = 1;
    for (size_t at = 0; at < size;) {
        uint32_t random = random_next(&seed) >> 8;
        for (const char *word = words[random % 12]; *word != '\0' && at < size; word++)
            input[at++] = (uint8_t)*word;
        if (random % 3 == 0 && at < size)
            input[at++] = (uint8_t)('0' + random / 64 % 10);
    }
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 4 << 20);
    blocks = (size + BLOCK - 1) / BLOCK;
    job = program_memory(WAITING, sizeof *job);
    input = program_memory(size, 1);
    output = program_memory(blocks, LARGEST);
    make_input();
    pthread_t reader, writer;
    if (pthread_create(&reader, NULL, read_blocks, NULL) != 0 ||
        pthread_create(&writer, NULL, write_blocks, NULL) != 0) {
        fputs("no thread\n", stderr);
        return 2;
    }
    program_run(work);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    return program_end("the number of bytes that come back", compare(), size);
}
