/* What clang gathers of a loop is told by rows (src/runtime/loops.h), and photofinish record leaves out what it knows of
 * them (runtime/host/rows.h). Each of these races is with elements of a row that come after others: in another epoch, or
 * memory, or of another kind, or beside those that are known. The rows are told directly: it does not matter what compiled
 * this. Runs all cases; aborts if it checks itself and has not found a race in each. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../programs/pair.h"

void __pf_reads(char *first, size_t size, ptrdiff_t stride, size_t count);
void __pf_writes(char *first, size_t size, ptrdiff_t stride, size_t count);
struct fields {
    uint32_t count, size;
    struct {
        uint32_t offset, size;
        const void *pc;
    } field[3];
};
_Bool __pf_read_groups(char *first, ptrdiff_t stride, size_t count, const struct fields *fields);
_Bool __pf_write_groups(char *first, ptrdiff_t stride, size_t count, const struct fields *fields);

enum { WORDS = 1024, PAGE = 4096 };
static struct place {
    _Alignas(PAGE) uint32_t word[WORDS];
    pthread_mutex_t mutex;
    char *heap; /* small: what is known of other memory stays known when it is given back */
} places[64];
static int now, found[64];

void pf_on_race(const void *access, unsigned long size, const void *byte);
__attribute__((no_sanitize("thread"))) void pf_on_race(const void *access, unsigned long size,
                                                       const void *byte)
{
    (void)access, (void)size, (void)byte;
    found[now] = 1;
}

/* Rows of the memory `at`, by numbers of words; and one word. */
#define R(from, stride, count)  __pf_reads(at + 4 * (from), 4, 4 * (stride), count)
#define W(from, stride, count)  __pf_writes(at + 4 * (from), 4, 4 * (stride), count)
#define R2(from, stride, count) __pf_reads(at + 4 * (from), 8, 4 * (stride), count)
#define READ(word)              ((void)*(volatile uint32_t *)(at + 4 * (word)))
#define WRITE(word)             (*(volatile uint32_t *)(at + 4 * (word)) = 1)

/* Groups of two and three words, whose places are in the function. */
#define TWO(me)   (&(const struct fields){2, 8, {{0, 4, me}, {4, 4, me}}})
#define THREE(me) (&(const struct fields){3, 12, {{0, 4, me}, {4, 4, me}, {8, 4, me}}})
#define RG(which, from, stride, count)                                                                       \
    __pf_read_groups(at + 4 * (from), 4 * (stride), count, which((const char *)me + 1))
#define WG(which, from, stride, count)                                                                       \
    __pf_write_groups(at + 4 * (from), 4 * (stride), count, which((const char *)me + 1))

#define NOTHING ((void)0)

/* Many rows that are alike but for where they begin, or for their elements' size: some are where what is known of the last
 * one would be. */
enum { ALIKE = 63 };
#define BESIDE(last)                                                                                         \
    for (int i = 0; i < ALIKE; i++)                                                                          \
    R(i < (last) ? i : i + 1, ALIKE + 1, 10)
#define SMALLER(from)                                                                                        \
    for (int i = 1; i < ALIKE; i++)                                                                          \
    __pf_reads(at + 4 * (from), 4 * (size_t)i, 4 * (ALIKE + 1), 10)
#define LARGEST(from) __pf_reads(at + 4 * (from), 4 * ALIKE, 4 * (ALIKE + 1), 10)

static void lock(void)
{
    pthread_mutex_lock(&places[now].mutex);
    pthread_mutex_unlock(&places[now].mutex);
}

/* The same address, other memory. */
static void map_again(char *at)
{
    if (mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at)
        abort();
}

enum { HEAP = 512 };
static void allocate_again(char *at)
{
    free(at);
    if (malloc(HEAP) != at)
        abort();
}

/* (Up to 8 elements are no row for the recorder.)
 *
 * The name; what is told, twice; what ends that; the row that races; how the other thread comes after the end, and its
 * access. */
#define CASES(X)                                                                                             \
    X(read_again, R(0, 1, 64), lock(), R(0, 1, 64), lock(), WRITE(63))                                       \
    X(written_again, W(0, 1, 64), lock(), W(0, 1, 64), lock(), READ(0))                                      \
    X(read_apart_again, R(0, 4, 16), lock(), R(0, 4, 16), lock(), WRITE(60))                                 \
    X(group_read_again, RG(TWO, 0, 2, 16), lock(), RG(TWO, 0, 2, 16), lock(), WRITE(31))                     \
    X(group_written_again, WG(TWO, 0, 4, 16), lock(), WG(TWO, 0, 4, 16), lock(), READ(60))                   \
    X(write_of_read, R(0, 1, 64), NOTHING, W(0, 1, 64), NOTHING, READ(7))                                    \
    X(group_write_of_read, RG(THREE, 0, 3, 16), NOTHING, WG(THREE, 0, 3, 16), NOTHING, READ(8))              \
    X(one_more, R(0, 1, 64), NOTHING, R(0, 1, 65), NOTHING, WRITE(64))                                       \
    X(many_more, R(0, 1, 64), NOTHING, R(0, 1, 512), NOTHING, WRITE(511))                                    \
    X(one_before, R(8, 1, 64), NOTHING, R(7, 1, 65), NOTHING, WRITE(7))                                      \
    X(many_before, R(100, 1, 64), NOTHING, R(0, 1, 164), NOTHING, WRITE(0))                                  \
    X(both_before, R(10, 1, 10), NOTHING, R(0, 1, 30), NOTHING, WRITE(9))                                    \
    X(both_after, R(10, 1, 10), NOTHING, R(0, 1, 30), NOTHING, WRITE(20))                                    \
    X(next, R(0, 1, 64), NOTHING, R(64, 1, 64), NOTHING, WRITE(64))                                          \
    X(next_written, W(0, 1, 64), NOTHING, W(64, 1, 64), NOTHING, READ(127))                                  \
    X(previous, R(64, 1, 64), NOTHING, R(0, 1, 64), NOTHING, WRITE(63))                                      \
    X(elsewhere, R(0, 1, 64), NOTHING, R(65, 1, 64), NOTHING, WRITE(65))                                     \
    X(gap, (R(0, 1, 10), R(20, 1, 10)), NOTHING, R(0, 1, 30), NOTHING, WRITE(12))                            \
    X(gap_of_later, (R(0, 1, 10), R(20, 1, 10), R(0, 1, 9)), NOTHING, R(9, 1, 11), NOTHING, WRITE(19))       \
    X(others_between, R(0, 2, 32), NOTHING, R(1, 2, 32), NOTHING, WRITE(63))                                 \
    X(others_far_between, R(0, 16, 32), NOTHING, R(3, 16, 32), NOTHING, WRITE(3))                            \
    X(all_between, R(0, 2, 32), NOTHING, R(0, 1, 64), NOTHING, WRITE(1))                                     \
    X(larger, R(0, 2, 32), NOTHING, R2(0, 2, 32), NOTHING, WRITE(1))                                         \
    X(more_apart, R(0, 2, 32), NOTHING, R(0, 3, 32), NOTHING, WRITE(3))                                      \
    X(group_one_more, RG(TWO, 0, 4, 16), NOTHING, RG(TWO, 0, 4, 17), NOTHING, WRITE(65))                     \
    X(group_one_before, WG(TWO, 8, 4, 16), NOTHING, WG(TWO, 4, 4, 17), NOTHING, READ(4))                     \
    X(group_larger, RG(TWO, 0, 4, 16), NOTHING, RG(THREE, 0, 4, 16), NOTHING, WRITE(62))                     \
    X(group_beside, RG(TWO, 0, 4, 16), NOTHING, RG(TWO, 1, 4, 16), NOTHING, WRITE(2))                        \
    X(few, R(0, 1, 6), lock(), R(0, 1, 6), lock(), WRITE(5))                                                 \
    X(few_more, R(0, 1, 6), NOTHING, R(0, 1, 12), NOTHING, WRITE(11))                                        \
    X(few_groups, WG(THREE, 0, 3, 4), lock(), WG(THREE, 0, 3, 4), lock(), READ(11))                          \
    X(group_of_one, RG(TWO, 0, 2, 1), NOTHING, WG(TWO, 0, 2, 1), NOTHING, READ(1))                           \
    X(group_of_one_again, WG(TWO, 0, 2, 1), lock(), WG(TWO, 0, 2, 1), lock(), READ(1))                       \
    X(beside_first, BESIDE(0), NOTHING, R(0, ALIKE + 1, 10), NOTHING, WRITE(0))                              \
    X(beside_all, BESIDE(30), NOTHING, R(30, ALIKE + 1, 10), NOTHING, WRITE(30))                             \
    X(beside_others, BESIDE(31), NOTHING, R(31, ALIKE + 1, 10), NOTHING, WRITE(31))                          \
    X(beside_last, BESIDE(63), NOTHING, R(63, ALIKE + 1, 10), NOTHING, WRITE(63))                            \
    X(larger_than_all, SMALLER(0), NOTHING, LARGEST(0), NOTHING, WRITE(62))                                  \
    X(larger_farther, SMALLER(64), NOTHING, LARGEST(64), NOTHING, WRITE(126))                                \
    X(larger_apart, SMALLER(17), NOTHING, LARGEST(17), NOTHING, WRITE(79))                                   \
    X(larger_than_others, SMALLER(99), NOTHING, LARGEST(99), NOTHING, WRITE(161))                            \
    X(downwards, R(63, -1, 64), lock(), R(63, -1, 64), lock(), WRITE(0))                                     \
    X(downwards_more, R(63, -1, 32), NOTHING, R(63, -1, 64), NOTHING, WRITE(5))                              \
    X(downwards_first, R(63, -1, 32), NOTHING, R(64, -1, 33), NOTHING, WRITE(64))                            \
    X(standing, R(5, 0, 10), NOTHING, R(6, 0, 10), NOTHING, WRITE(6))                                        \
    X(standing_again, R(5, 0, 10), lock(), R(5, 0, 10), lock(), WRITE(5))                                    \
    X(other_memory, W(0, 1, 64), map_again(at), W(0, 1, 64), NOTHING, READ(63))                              \
    X(other_memory_group, RG(TWO, 0, 2, 32), map_again(at), RG(TWO, 0, 2, 32), NOTHING, WRITE(0))            \
    X(other_memory_group_of_one, WG(TWO, 0, 2, 1), map_again(at), WG(TWO, 0, 2, 1), NOTHING, READ(1))

#define HEAP_CASES(X)                                                                                        \
    X(heap, W(0, 1, 64), allocate_again(at), W(0, 1, 64), NOTHING, READ(63))                                 \
    X(heap_read, R(0, 2, 32), allocate_again(at), R(0, 2, 32), NOTHING, WRITE(62))                           \
    X(heap_group, RG(TWO, 0, 2, 32), allocate_again(at), RG(TWO, 0, 2, 32), NOTHING, WRITE(0))               \
    X(heap_group_of_one, WG(TWO, 0, 2, 1), allocate_again(at), WG(TWO, 0, 2, 1), NOTHING, READ(1))

/* Functions of their own: reports tell them apart. */
#define FUNCTION(name, access)                                                                               \
    static __attribute__((noinline)) void name(char *at)                                                     \
    {                                                                                                        \
        void (*me)(char *) = name;                                                                           \
        access;                                                                                              \
        __asm__ volatile("" : : "r"(me));                                                                    \
    }

#define FUNCTIONS(memory, name, again, ends, last, learns, other)                                            \
    FUNCTION(name##_again, again)                                                                            \
    FUNCTION(name##_last, last)                                                                              \
    FUNCTION(name##_other, other)                                                                            \
    static void *name##_first(void *unused)                                                                  \
    {                                                                                                        \
        char *at = (char *)places[now].memory;                                                               \
        name##_again(at);                                                                                    \
        name##_again(at);                                                                                    \
        ends;                                                                                                \
        name##_last(at);                                                                                     \
        unseen_signal(1);                                                                                    \
        return unused;                                                                                       \
    }                                                                                                        \
    static void *name##_second(void *unused)                                                                 \
    {                                                                                                        \
        unseen_wait(1);                                                                                      \
        learns;                                                                                              \
        name##_other((char *)places[now].memory);                                                            \
        return unused;                                                                                       \
    }
#define IN_PLACE(name, ...) FUNCTIONS(word, name, __VA_ARGS__)
#define IN_HEAP(name, ...)  FUNCTIONS(heap, name, __VA_ARGS__)
CASES(IN_PLACE)
HEAP_CASES(IN_HEAP)

static const struct {
    void *(*first)(void *), *(*second)(void *);
} cases[] = {
#define CASE(name, ...) {name##_first, name##_second},
    CASES(CASE) HEAP_CASES(CASE)};

int main(void)
{
    enum { COUNT = sizeof cases / sizeof *cases };
    _Static_assert(COUNT <= sizeof found / sizeof *found, "one place for each");
    int all = 0;
    for (now = 0; now < COUNT; now++) {
        pthread_mutex_init(&places[now].mutex, NULL);
        places[now].heap = malloc(HEAP);
        unseen_signal(0);
        pair(cases[now].first, cases[now].second);
    }
    for (int i = 0; i < COUNT; i++)
        all += found[i];
    if (all != 0 && all != COUNT) /* none: it is recorded */
        abort();
    return 0;
}
