/* Libraries that come and go. The argument: what to do with plugin.so, which lies in the current directory. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../programs/unseen.h"

int x;
static const char *way;
static void *plugin;

static void *load(const char *function)
{
    plugin = dlopen("./plugin.so", RTLD_NOW);
    if (plugin == NULL) {
        puts(dlerror());
        return NULL;
    }
    return dlsym(plugin, function);
}

static void *first(void *function)
{
    if (strcmp(way, "names") == 0)
        ((void (*)(int *))function)(&x);
    else
        ((void (*)(void))function)();
    unseen_signal(1);
    unseen_wait(2);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    way = argc > 1 ? argv[1] : "names";
    int names = strcmp(way, "names") == 0;
    void *function = load(names ? "plugin_touch" : "plugin_count");
    pthread_create(&thread, NULL, first, function);
    unseen_wait(1);
    dlclose(plugin);
    if (names) {
        x = 2; /* races with what the library did, which is gone */
    } else {
        void (*again)(void) = load("plugin_count"); /* other variables at the same addresses */
        again();
        printf("%s\n", (void *)again == function ? "same place" : "another place");
        dlclose(plugin);
    }
    unseen_signal(2);
    pthread_join(thread, NULL);
    return 0;
}
