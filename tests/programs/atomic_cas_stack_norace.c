/* Treiber's stack: pushed with release, taken as a whole with acquire. */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads_together.h"

enum { EACH = 500 };

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;
static atomic_int taken;

THREAD(push)
{
    for (int i = 0; i < EACH; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = 1;
        n->next = atomic_load_explicit(&top, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release,
                                                      memory_order_relaxed)) {
        }
    }
    return NULL;
}

THREAD(take)
{
    while (atomic_load_explicit(&taken, memory_order_relaxed) < 2 * EACH) {
        struct node *n = atomic_exchange_explicit(&top, NULL, memory_order_acquire);
        while (n != NULL) {
            struct node *next = n->next;
            atomic_fetch_add_explicit(&taken, n->value, memory_order_relaxed);
            free(n);
            n = next;
        }
    }
    return NULL;
}

int main(void)
{
    run(push, push, take, take);
    return 0;
}
