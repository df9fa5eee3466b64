/* What the destructors of thread-specific data did is there after join. */
#include "pair.h"

static pthread_key_t key;
static int x;

static void destructor(void *value)
{
    x += (int)(long)value;
}

static void *worker(void *unused)
{
    pthread_setspecific(key, (void *)1);
    return unused;
}

int main(void)
{
    pthread_key_create(&key, destructor);
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_join(t, NULL);
        x++;
    }
    return x != 40;
}
