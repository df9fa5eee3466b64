/* The last one to use a shared object under its own mutex destroys both: POSIX allows it at once. */
#include <stdlib.h>

#include "pair.h"

struct object {
    pthread_mutex_t lock;
    int users, value;
};

static void *user(void *argument)
{
    struct object *o = argument;
    pthread_mutex_lock(&o->lock);
    o->value++;
    int last = --o->users == 0;
    pthread_mutex_unlock(&o->lock);
    if (last) {
        pthread_mutex_destroy(&o->lock);
        free(o);
    }
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 50; i++) {
        pthread_t a, b;
        struct object *o = malloc(sizeof *o);
        pthread_mutex_init(&o->lock, NULL);
        o->users = 2;
        o->value = 0;
        pthread_create(&a, NULL, user, o);
        pthread_create(&b, NULL, user, o);
        pthread_join(a, NULL);
        pthread_join(b, NULL);
    }
    return 0;
}
