/* Linked lists: each thread walks a list, adds 1 to each element, and after a barrier goes on with the list
 * of its neighbour. Lists jump about in memory. */
#include "program.h"

enum { NODES = 1 << 16 };

struct node {
    struct node *next;
    uint64_t value;
    uint64_t padding[2];
};

static struct node *nodes, **first;
static size_t rounds;
static pthread_barrier_t barrier;

/* The nodes of a thread's share in an order that repeats no neighbourhood. */
static void build(unsigned me)
{
    size_t from = share(NODES, me), length = share(NODES, me + 1) - from;
    for (size_t i = 0; i < length; i++) {
        struct node *node = &nodes[from + i * 7919 % length];
        if (length % 7919 == 0)
            node = &nodes[from + i];
        node->next = first[me];
        first[me] = node;
    }
}

static void work(unsigned me)
{
    build(me);
    pthread_barrier_wait(&barrier);
    for (size_t round = 0; round < rounds; round++) {
        for (struct node *node = first[(me + round) % threads]; node != NULL; node = node->next)
            node->value++;
        pthread_barrier_wait(&barrier);
    }
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 128);
    rounds = size;
    nodes = program_memory(NODES, sizeof *nodes);
    first = program_memory(threads, sizeof(struct node *));
    pthread_barrier_init(&barrier, NULL, threads);
    program_run(work);
    uint64_t sum = 0;
    for (size_t i = 0; i < NODES; i++)
        sum += nodes[i].value;
    return program_end("the sum of all elements", sum, (uint64_t)NODES * rounds);
}
