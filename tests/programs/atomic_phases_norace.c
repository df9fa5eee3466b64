/* Threads access the same memory atomically in all widths at once; between such phases one of them uses it
 * plainly. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 60, OPERATIONS = 60 };

static union {
    uint64_t whole[4];
    uint32_t word[8];
    uint16_t half[16];
    uint8_t byte[32];
} memory;

static pthread_barrier_t barrier;

static void atomic_phase(unsigned *random)
{
    for (int i = 0; i < OPERATIONS; i++) {
        *random = *random * 1103515245u + 12345u;
        unsigned r = *random >> 16;
        switch (r % 8) {
        case 0:
            __atomic_fetch_add(&memory.whole[r / 8 % 4], 1, __ATOMIC_SEQ_CST);
            break;
        case 1:
            __atomic_store_n(&memory.whole[r / 8 % 4], r, __ATOMIC_RELAXED);
            break;
        case 2:
            (void)__atomic_load_n(&memory.whole[r / 8 % 4], __ATOMIC_ACQUIRE);
            break;
        case 3:
            __atomic_fetch_xor(&memory.word[r / 8 % 8], r, __ATOMIC_RELAXED);
            break;
        case 4:
            (void)__atomic_load_n(&memory.word[r / 8 % 8], __ATOMIC_RELAXED);
            break;
        case 5:
            __atomic_exchange_n(&memory.half[r / 8 % 16], (uint16_t)r, __ATOMIC_ACQ_REL);
            break;
        case 6:
            __atomic_store_n(&memory.byte[r / 8 % 32], (uint8_t)r, __ATOMIC_RELEASE);
            break;
        case 7:
            __atomic_fetch_or(&memory.byte[r / 8 % 32], 1, __ATOMIC_RELAXED);
            break;
        }
    }
}

static void *worker(void *number)
{
    unsigned me = (unsigned)(uintptr_t)number, random = me + 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        atomic_phase(&random);
        pthread_barrier_wait(&barrier);
        if (round % THREADS == me) {
            memory.byte[round % 32]++;
            memory.word[round % 8]--;
            if (round % 5 == 0)
                memset(&memory, 0, sizeof memory);
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
