// Races on memory of every kind, from methods, templates, inlined calls and a shared library. The argument says which.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

#include "../programs/unseen.h"

extern "C" void library_write(int *where);

namespace bank
{
struct Account {
    int balance = 0;
    __attribute__((noinline)) void deposit(int amount) { balance += amount; }
};

template <typename T> __attribute__((noinline)) void store(T *where, T value)
{
    *where = value;
}

Account account;
} // namespace bank

int plain_global;
static int table[64];
static __thread int per_thread[4];

static inline __attribute__((always_inline)) void innermost(int *p)
{
    *p = 1;
}

static inline __attribute__((always_inline)) void middle(int *p)
{
    innermost(p);
}

static void (*action)(int *);
static int *target;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *)
{
    pthread_setname_np(pthread_self(), "other one");
    action(target);
    unseen_signal(1);
    unseen_wait(2);
    return nullptr;
}

static void race(int *memory, void (*what)(int *))
{
    pthread_t t;
    target = memory;
    action = what;
    pthread_create(&t, nullptr, other, nullptr);
    unseen_wait(1);
    what(memory);
    unseen_signal(2);
    pthread_join(t, nullptr);
}

__attribute__((noinline)) static void direct(int *p)
{
    *p = 1;
}

static void *owner(void *)
{
    int local[8];
    target = local;
    direct(local);
    unseen_signal(1);
    unseen_wait(2);
    return nullptr;
}

int main(int, char **argv)
{
    const char *what = argv[1];
    if (!strcmp(what, "method"))
        race(nullptr, [](int *) { bank::account.deposit(1); });
    if (!strcmp(what, "template"))
        race(&plain_global, [](int *p) { bank::store<int>(p, 3); });
    if (!strcmp(what, "inlined"))
        race(&table[5], [](int *p) { middle(p); });
    if (!strcmp(what, "global"))
        race(&plain_global, direct);
    if (!strcmp(what, "array"))
        race(&table[5], direct);
    if (!strcmp(what, "heap"))
        race(static_cast<int *>(malloc(80)) + 4, direct);
    if (!strcmp(what, "new"))
        race(new int[10] + 4, direct);
    if (!strcmp(what, "stack")) {
        int local[8];
        race(&local[3], direct);
    }
    if (!strcmp(what, "thread-stack")) {
        pthread_t t;
        pthread_create(&t, nullptr, owner, nullptr);
        unseen_wait(1);
        direct(target);
        unseen_signal(2);
        pthread_join(t, nullptr);
    }
    if (!strcmp(what, "atomic"))
        race(&plain_global, [](int *p) {
            if (unseen_now() == 0)
                __atomic_store_n(p, 1, __ATOMIC_RELAXED);
            else
                direct(p);
        });
    if (!strcmp(what, "loop"))
        race(table, [](int *p) {
            for (int i = 0; i < 64; i++)
                p[i] = i;
        });
    if (!strcmp(what, "tls"))
        race(&per_thread[1], direct);
    if (!strcmp(what, "library"))
        race(&plain_global, library_write);
    if (!strcmp(what, "held"))
        race(&plain_global, [](int *p) {
            if (unseen_now() == 0)
                return direct(p);
            pthread_mutex_lock(&guard);
            direct(p);
            pthread_mutex_unlock(&guard);
        });
    if (!strcmp(what, "free"))
        race(static_cast<int *>(malloc(80)), [](int *p) {
            if (unseen_now() == 0)
                p[2] = 1;
            else
                free(p);
        });
    return table[5] + bank::account.balance > 1000;
}
