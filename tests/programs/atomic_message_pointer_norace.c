/* Publication of a pointer to an initialized object. */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads_together.h"

struct box {
    int a, b;
};

static _Atomic(struct box *) published;

THREAD(writer)
{
    struct box *box = malloc(sizeof *box);
    box->a = 1;
    box->b = 2;
    atomic_store_explicit(&published, box, memory_order_release);
    return NULL;
}

THREAD(reader)
{
    struct box *box;
    while ((box = atomic_load_explicit(&published, memory_order_acquire)) == NULL) {
    }
    return box->a + box->b == 3 ? NULL : box;
}

int main(void)
{
    run(writer, reader);
    free(published);
    return 0;
}
