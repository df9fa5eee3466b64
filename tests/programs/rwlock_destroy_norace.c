/* Read-write locks that their last user destroys, and frees, at once: it knows from the lock itself, or by counting. */
#include <stdatomic.h>
#include <stdlib.h>

#include "pair.h"

enum { USERS = 3, ROUNDS = 50 };

struct object {
    pthread_rwlock_t lock;
    int users;
    atomic_int holders;
};

static void *user(void *argument)
{
    struct object *o = argument;
    pthread_rwlock_rdlock(&o->lock);
    int seen = o->users;
    pthread_rwlock_unlock(&o->lock);
    pthread_rwlock_wrlock(&o->lock);
    int last = --o->users == 0;
    pthread_rwlock_unlock(&o->lock);
    if (last) {
        pthread_rwlock_destroy(&o->lock);
        free(o);
    }
    return seen > 0 ? NULL : o;
}

static void *holder(void *argument)
{
    struct object *o = argument;
    int failed = pthread_rwlock_trywrlock(&o->lock);
    if (failed)
        pthread_rwlock_rdlock(&o->lock);
    pthread_rwlock_unlock(&o->lock);
    if (atomic_fetch_sub(&o->holders, 1) == 1) {
        pthread_rwlock_destroy(&o->lock);
        free(o);
    }
    return NULL;
}

static void use(void *(*function)(void *))
{
    pthread_t thread[USERS];
    struct object *o = malloc(sizeof *o);
    pthread_rwlock_init(&o->lock, NULL);
    o->users = USERS;
    o->holders = USERS;
    for (int i = 0; i < USERS; i++)
        pthread_create(&thread[i], NULL, function, o);
    for (int i = 0; i < USERS; i++)
        pthread_join(thread[i], NULL);
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        use(user);
        use(holder);
    }
    return 0;
}
