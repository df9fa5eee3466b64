/* Two rings, each under a mutex of its own: what some threads take from, the others put into. The compiler would read
 * the fields of both and choose then (LLVM's InstCombine does so also where races are looked for). */
#include "pair.h"

enum { THREADS = 4, ITEMS = 1000 };

struct ring {
    pthread_mutex_t lock;
    int item[THREADS * ITEMS];
    unsigned first, count;
};

static struct ring forth = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct ring back = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put(struct ring *r, int item)
{
    pthread_mutex_lock(&r->lock);
    r->item[(r->first + r->count++) % (THREADS * ITEMS)] = item;
    pthread_mutex_unlock(&r->lock);
}

static int take(struct ring *r)
{
    int item = 0;
    pthread_mutex_lock(&r->lock);
    if (r->count > 0) {
        item = r->item[r->first];
        r->first = (r->first + 1) % (THREADS * ITEMS);
        r->count--;
    }
    pthread_mutex_unlock(&r->lock);
    return item;
}

static void *work(void *gives)
{
    for (int i = 0; i < ITEMS; i++)
        put(gives != NULL ? &forth : &back, 1 + take(gives != NULL ? &back : &forth));
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, i % 2 == 0 ? &forth : NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return forth.count + back.count > THREADS * ITEMS;
}
