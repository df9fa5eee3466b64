/* Crypt: IDEA over a large array of bytes, which is encrypted into a second and decrypted into a third one;
 * each thread has a part of the blocks. Java Grande's kernel of that name. SIZE is in bytes. */
#include "program.h"

enum { BLOCK = 8, ROUNDS = 8, SUBKEYS = 6 * ROUNDS + 4 };

/* The example that comes with the cipher: this key turns the block 0, 1, 2, 3 into the second one. */
static const uint16_t user_key[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t known_cipher[BLOCK] = {0x11, 0xfb, 0xed, 0x2b, 0x01, 0x98, 0x6d, 0xe5};

static uint16_t encryption_key[SUBKEYS], decryption_key[SUBKEYS];
static uint8_t *plain, *cipher, *again;
static size_t blocks;

/* Modulo 65537, where 0 stands for 65536. */
static uint16_t multiply(uint16_t a, uint16_t b)
{
    if (a == 0)
        return (uint16_t)(0x10001 - b);
    if (b == 0)
        return (uint16_t)(0x10001 - a);
    uint32_t product = (uint32_t)a * b;
    uint16_t low = (uint16_t)product, high = (uint16_t)(product >> 16);
    return (uint16_t)(low - high + (low < high));
}

static uint16_t inverse(uint16_t a)
{
    uint16_t power = 1; /* in the end to the 65535th: Fermat */
    for (int bit = 0; bit < 16; bit++)
        power = multiply(multiply(power, power), a);
    return power;
}

/* Eight subkeys are the user's key, the next eight the same rotated by 25 bits, and so on. */
static void make_encryption_key(void)
{
    for (unsigned i = 0; i < SUBKEYS; i++) {
        unsigned bit = (i / 8 * 25 + i % 8 * 16) % 128;
        uint32_t two_words = (uint32_t)user_key[bit / 16] << 16 | user_key[(bit / 16 + 1) % 8];
        encryption_key[i] = (uint16_t)(two_words << bit % 16 >> 16);
    }
}

/* The rounds backwards; between two rounds the words in the middle are swapped. */
static void make_decryption_key(void)
{
    for (unsigned round = 0; round <= ROUNDS; round++) {
        const uint16_t *from = &encryption_key[6 * (ROUNDS - round)];
        uint16_t *to = &decryption_key[6 * round];
        bool swapped = round > 0 && round < ROUNDS;
        to[0] = inverse(from[0]);
        to[1] = (uint16_t)-from[swapped ? 2 : 1];
        to[2] = (uint16_t)-from[swapped ? 1 : 2];
        to[3] = inverse(from[3]);
        if (round < ROUNDS) {
            to[4] = from[-2];
            to[5] = from[-1];
        }
    }
}

static uint16_t get_word(const uint8_t *from)
{
    return (uint16_t)(from[0] << 8 | from[1]);
}

static void put_word(uint8_t *to, uint16_t word)
{
    to[0] = (uint8_t)(word >> 8);
    to[1] = (uint8_t)word;
}

/* Blocks first to end - 1. */
static void idea(const uint8_t *text, uint8_t *result, const uint16_t *subkeys, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const uint8_t *from = text + i * BLOCK;
        const uint16_t *key = subkeys;
        uint8_t *to = result + i * BLOCK;
        uint16_t a = get_word(from), b = get_word(from + 2), c = get_word(from + 4), d = get_word(from + 6);
        for (int round = 0; round < ROUNDS; round++) {
            a = multiply(a, *key++);
            b += *key++;
            c += *key++;
            d = multiply(d, *key++);
            uint16_t mixed = multiply(a ^ c, *key++);
            uint16_t other = multiply((uint16_t)((b ^ d) + mixed), *key++);
            mixed += other;
            a ^= other;
            d ^= mixed;
            uint16_t middle = b ^ mixed;
            b = c ^ other;
            c = middle;
        }
        put_word(to, multiply(a, key[0]));
        put_word(to + 2, (uint16_t)(c + key[1]));
        put_word(to + 4, (uint16_t)(b + key[2]));
        put_word(to + 6, multiply(d, key[3]));
    }
}

static void encrypt(unsigned me)
{
    idea(plain, cipher, encryption_key, share(blocks, me), share(blocks, me + 1));
}

static void decrypt(unsigned me)
{
    idea(cipher, again, decryption_key, share(blocks, me), share(blocks, me + 1));
}

static void fill_plain(void)
{
    uint32_t seed = 136506717;
    for (size_t i = 0; i < blocks * BLOCK; i++)
        plain[i] = (uint8_t)(random_next(&seed) >> 8);
    for (uint16_t word = 0; word < BLOCK / 2; word++)
        put_word(plain + 2 * word, word);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 4 << 20);
    blocks = (size + BLOCK - 1) / BLOCK;
    plain = program_memory(blocks, BLOCK);
    cipher = program_memory(blocks, BLOCK);
    again = program_memory(blocks, BLOCK);
    make_encryption_key();
    make_decryption_key();
    fill_plain();
    program_run(encrypt);
    program_run(decrypt);
    uint64_t right = 0;
    for (size_t i = 0; i < BLOCK; i++)
        right += cipher[i] == known_cipher[i];
    for (size_t i = 0; i < blocks * BLOCK; i++)
        right += again[i] == plain[i];
    return program_end("bytes that are right", right, BLOCK + blocks * BLOCK);
}
