/* A library that two threads open. With PLUGIN it is the library. The argument of the program says who opens it. */
#ifdef PLUGIN

int opened_value[64];
static __thread int own[64];

__attribute__((constructor)) static void begin(void)
{
    for (int i = 0; i < 64; i++)
        opened_value[i] = i + 1;
}

__attribute__((destructor)) static void end(void)
{
    for (int i = 0; i < 64; i++)
        opened_value[i] = 0;
}

int opened_use(void)
{
    own[3] += opened_value[3];
    return own[3];
}

#elif defined(NEEDS)

/* Another one that needs it, and whose constructor and functions rely on its constructors. */
int opened_use(void);
int also_opened_use(void);
static int found;

__attribute__((constructor)) static void begin(void)
{
    found = opened_use();
}

int also_opened_use(void)
{
    return found == opened_use() - found;
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/unseen.h"

static const char *way, *library = "./opened.so";
static void *first_handle;
static int (*use)(void);

static int (*open_library(void **handle))(void)
{
    *handle = dlopen(library, RTLD_NOW);
    if (*handle == NULL) {
        puts(dlerror());
        exit(3);
    }
    return (int (*)(void))dlsym(*handle, "opened_use");
}

/* The constructor runs in this thread, and the destructor. */
static void *first(void *unused)
{
    use = open_library(&first_handle);
    unseen_signal(1);
    unseen_wait(2);
    dlclose(first_handle);
    return unused;
}

static void *second(void *unused)
{
    void *handle;
    int (*function)(void);
    unseen_wait(1);
    if (strcmp(way, "both") == 0) {
        function = open_library(&handle);
        printf("%d\n", function());
        dlclose(handle);
    } else { /* by chance, as it were */
        __asm__ volatile("movq %1, %0" : "=r"(function) : "m"(use));
        printf("%d\n", function());
    }
    unseen_signal(2);
    return unused;
}

static void *uses(void *unused)
{
    printf("%d\n", use());
    return unused;
}

static void *starts(void *unused)
{
    pthread_t t;
    pthread_create(&t, NULL, uses, NULL);
    pthread_join(t, NULL);
    unseen_signal(3);
    unseen_wait(4);
    return unused;
}

static const char *other_library;
int shared;

/* Two threads that have only the dynamic linker in common: the program's own variable is in a race. */
static void *first_apart(void *unused)
{
    shared = 1;
    if (dlopen(library, RTLD_NOW) == NULL)
        exit(3);
    unseen_signal(1);
    return unused;
}

static void *second_apart(void *unused)
{
    unseen_wait(1);
    if (dlopen(other_library, RTLD_NOW) == NULL)
        exit(3);
    shared = 2;
    return unused;
}

/* The second one's library needs the first one's, and has a constructor that uses it. */
static void *second_needs(void *unused)
{
    unseen_wait(1);
    int (*function)(void) = (int (*)(void))dlsym(dlopen(other_library, RTLD_NOW), "also_opened_use");
    printf("%d\n", function());
    unseen_signal(2);
    return unused;
}

static void *nothing(void *unused)
{
    return unused;
}

/* The stack of a thread that has ended is another's now, who knows nothing of that one: what the first had of the library's
 * variables is given back there. */
static void variables(void)
{
    pthread_t t, next[4];
    use = open_library(&first_handle);
    pthread_create(&t, NULL, starts, NULL);
    unseen_wait(3);
    for (int i = 0; i < 4; i++)
        pthread_create(&next[i], NULL, nothing, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(next[i], NULL);
    unseen_signal(4);
    pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    way = argc > 1 ? argv[1] : "both";
    if (argc > 2)
        library = argv[2];
    if (strcmp(way, "variables") == 0) {
        variables();
        return 0;
    }
    other_library = argc > 3 ? argv[3] : NULL;
    int apart = strcmp(way, "apart") == 0, needs = strcmp(way, "needs") == 0;
    pthread_create(&t[0], NULL, apart ? first_apart : first, NULL);
    pthread_create(&t[1], NULL, apart ? second_apart : needs ? second_needs : second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
#endif
