/* The main thread's own destructors run at its pthread_exit; whoever joins it sees what they did. */
#include <stdlib.h>

#include "pair.h"

static pthread_key_t key;
static pthread_t main_thread;
static int x;

static void destructor(void *value)
{
    x = (int)(long)value;
}

static void *joiner(void *unused)
{
    pthread_join(main_thread, NULL);
    if (x != 3)
        exit(1);
    return unused;
}

int main(void)
{
    pthread_t t;
    main_thread = pthread_self();
    pthread_key_create(&key, destructor);
    pthread_setspecific(key, (void *)3);
    pthread_create(&t, NULL, joiner, NULL);
    pthread_exit(NULL);
}
