/* Condition variables that are destroyed, and their memory freed, as soon as POSIX allows it: by who has told all who
 * wait, though they have not returned yet; and by who waited, when the signal came under the mutex. */
#include <stdlib.h>

#include "pair.h"

enum { WAITERS = 3, ROUNDS = 50 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_wait = PTHREAD_COND_INITIALIZER;
int waiting, go;

static void *waiter(void *cond)
{
    pthread_mutex_lock(&m);
    if (++waiting == WAITERS)
        pthread_cond_signal(&all_wait);
    while (!go)
        pthread_cond_wait(cond, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void told(void)
{
    pthread_t thread[WAITERS];
    pthread_cond_t *cond = malloc(sizeof *cond);
    pthread_cond_init(cond, NULL);
    waiting = go = 0;
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&thread[i], NULL, waiter, cond);
    pthread_mutex_lock(&m);
    while (waiting < WAITERS)
        pthread_cond_wait(&all_wait, &m);
    go = 1;
    pthread_cond_broadcast(cond);
    pthread_mutex_unlock(&m);
    pthread_cond_destroy(cond);
    free(cond);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(thread[i], NULL);
}

struct request {
    pthread_mutex_t mutex;
    pthread_cond_t done;
    int is_done;
};

static void *server(void *argument)
{
    struct request *r = argument;
    pthread_mutex_lock(&r->mutex);
    r->is_done = 1;
    pthread_cond_signal(&r->done);
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

static void asked(void)
{
    pthread_t thread;
    struct request *r = malloc(sizeof *r);
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->done, NULL);
    r->is_done = 0;
    pthread_create(&thread, NULL, server, r);
    pthread_detach(thread);
    pthread_mutex_lock(&r->mutex);
    while (!r->is_done)
        pthread_cond_wait(&r->done, &r->mutex);
    pthread_mutex_unlock(&r->mutex);
    pthread_cond_destroy(&r->done);
    pthread_mutex_destroy(&r->mutex);
    free(r);
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        told();
        asked();
    }
    return 0;
}
