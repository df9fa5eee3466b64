/* Fork and join: merge sort with a thread for each run of 1024 elements and for each merge of two parts,
 * which joins the two threads that sort them. At most THREADS of them run at a time. SIZE is the number of
 * elements. */
#include <semaphore.h>
#include <string.h>

#include "program.h"

enum { RUN = 1024, SHORT = 16 };

struct part {
    size_t from, to;
    pthread_t thread;
    struct part *left, *right; /* NULL: a run */
};

static uint32_t *element, *scratch;

/* How many threads may still be started. A thread waits only for threads that were started before it, so the
 * oldest one always gets on. */
static sem_t places;

/* Merges two sorted parts that are next to each other. */
static void merge(size_t from, size_t middle, size_t to)
{
    size_t left = from, right = middle;
    for (size_t i = from; i < to; i++) {
        bool take_left = left < middle && (right == to || element[left] <= element[right]);
        scratch[i] = element[take_left ? left++ : right++];
    }
    memcpy(element + from, scratch + from, (to - from) * sizeof *element);
}

static void insertion_sort(size_t from, size_t to)
{
    for (size_t next = from + 1; next < to; next++) {
        uint32_t value = element[next];
        size_t at = next;
        for (; at > from && element[at - 1] > value; at--)
            element[at] = element[at - 1];
        element[at] = value;
    }
}

static void sort_run(size_t from, size_t to)
{
    if (to - from <= SHORT) {
        insertion_sort(from, to);
        return;
    }
    size_t middle = from + (to - from) / 2;
    sort_run(from, middle);
    sort_run(middle, to);
    merge(from, middle, to);
}

static void join(struct part *part)
{
    pthread_join(part->thread, NULL);
    free(part);
}

static void *sort_part(void *argument)
{
    struct part *part = argument;
    if (part->left == NULL) {
        sort_run(part->from, part->to);
    } else {
        size_t middle = part->right->from;
        join(part->left);
        join(part->right);
        merge(part->from, middle, part->to);
    }
    sem_post(&places);
    return NULL;
}

/* Returns a part that a thread is sorting. */
static struct part *start(size_t from, size_t to)
{
    struct part *part = program_memory(1, sizeof *part);
    part->from = from;
    part->to = to;
    if (to - from > RUN) {
        size_t middle = from + (to - from) / 2;
        part->left = start(from, middle);
        part->right = start(middle, to);
    }
    while (sem_wait(&places) != 0)
        ;
    if (pthread_create(&part->thread, NULL, sort_part, part) != 0) {
        fputs("no thread\n", stderr);
        exit(2);
    }
    return part;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 400000);
    element = program_memory(size, sizeof *element);
    scratch = program_memory(size, sizeof *scratch);
    uint32_t seed = 1;
    uint64_t expected = 0, found = 0, wrong = 0;
    for (size_t i = 0; i < size; i++)
        expected += element[i] = random_next(&seed);
    sem_init(&places, 0, threads);
    join(start(0, size));
    for (size_t i = 0; i < size; i++) {
        found += element[i];
        wrong += i > 0 && element[i - 1] > element[i];
    }
    return program_end("the sum of all elements", found, expected) |
           program_end("elements out of order", wrong, 0);
}
