/* The main thread has ended by pthread_exit before the others race: here, and in a library that is opened
 * only then. With PLUGIN it is the library. */
#ifdef PLUGIN

int opened_value;

void opened_write(int value)
{
    opened_value = value;
}

#else

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../programs/unseen.h"

int here;
static void (*write_there)(int value);

/* The process's state is that of its main thread: "PID (main_gone) Z ...". */
static int main_has_ended(void)
{
    char line[64] = "";
    int fd = open("/proc/self/stat", O_RDONLY);
    ssize_t got = read(fd, line, sizeof line - 1);
    close(fd);
    return got > 0 && strstr(line, ") Z ") != NULL;
}

static void *first(void *unused)
{
    while (!main_has_ended())
        usleep(1000);
    void *library = dlopen("./main_gone.so", RTLD_NOW);
    if (library == NULL)
        exit(3);
    write_there = (void (*)(int))dlsym(library, "opened_write");
    here = 1;
    write_there(1);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    void (*function)(int);
    unseen_wait(1);
    here = 2;
    __asm__ volatile("movq %1, %0" : "=r"(function) : "m"(write_there));
    function(2);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_exit(NULL);
}
#endif
