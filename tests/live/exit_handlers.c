/* A race in a function that was registered in the way that the argument names. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "../programs/unseen.h"

int shared;
static const char *way;
static pthread_key_t key;
static tss_t tss;

static int is(const char *word)
{
    return strcmp(way, word) == 0;
}

static void handler(void)
{
    unseen_wait(1);
    shared = 1;
}

static void handler_with_status(int status, void *argument)
{
    (void)status;
    *(int *)argument = 1;
}

static void destructor(void *value)
{
    (void)value;
    handler();
}

static void install(void)
{
    if (is("atexit") || is("exit"))
        atexit(handler);
    if (is("on_exit"))
        on_exit(handler_with_status, &shared);
    if (is("at_quick_exit"))
        at_quick_exit(handler);
    if (is("pthread_key_create"))
        pthread_key_create(&key, destructor);
    if (is("tss_create"))
        tss_create(&tss, destructor);
}

static void *owner(void *unused)
{
    if (is("pthread_key_create"))
        pthread_setspecific(key, &shared);
    if (is("tss_create"))
        tss_set(tss, &shared);
    return unused;
}

static void *writer(void *unused)
{
    shared = 2;
    unseen_signal(1);
    return unused;
}

/* Keys and handlers come and go, and each destructor is its own. */
static long sum;

static void adds(void *value)
{
    sum += (long)value;
}

static void takes(void *value)
{
    sum -= (long)value;
}

static void *user(void *of)
{
    pthread_setspecific(((pthread_key_t *)of)[0], (void *)3);
    pthread_setspecific(((pthread_key_t *)of)[1], (void *)1);
    return of;
}

static int churn(void)
{
    for (long i = 0; i < 3000; i++) {
        pthread_key_t keys[2];
        pthread_t thread;
        if (pthread_key_create(&keys[0], adds) != 0 || pthread_key_create(&keys[1], takes) != 0)
            return 1;
        pthread_create(&thread, NULL, user, keys);
        pthread_join(thread, NULL);
        if (sum != 2 * (i + 1) || pthread_key_delete(keys[0]) != 0 || pthread_key_delete(keys[1]) != 0)
            return 2;
    }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread, other;
    way = argc > 1 ? argv[1] : "churn";
    if (is("churn"))
        return churn();
    if (argc > 2 && churn() != 0) /* as before any of them */
        return 3;
    install();
    pthread_create(&thread, NULL, writer, NULL);
    unseen_wait(1);
    pthread_create(&other, NULL, owner, NULL);
    pthread_join(other, NULL);
    if (is("at_quick_exit"))
        quick_exit(0);
    if (is("exit"))
        exit(0);
    return 0;
}
