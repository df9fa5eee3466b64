// A block is given back in one thread and used in another; the arguments say how, and which comes first.
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>

#include "../programs/unseen.h"

struct Block {
    int cell[20];
};
struct alignas(64) Aligned {
    int cell[32];
};

static const char *how;
static int *memory;
void *moved;

static bool is(const char *word)
{
    return !strcmp(how, word);
}

__attribute__((noinline)) static void make()
{
    if (is("delete"))
        memory = (new Block)->cell;
    else if (is("delete-array"))
        memory = new int[20];
    else if (is("delete-aligned"))
        memory = (new Aligned)->cell;
    else if (is("mapping"))
        memory = static_cast<int *>(malloc(1 << 20));
    else
        memory = static_cast<int *>(malloc(80));
}

__attribute__((noinline)) static void drop()
{
    if (is("delete"))
        delete reinterpret_cast<Block *>(memory);
    else if (is("delete-array"))
        delete[] memory;
    else if (is("delete-aligned"))
        delete reinterpret_cast<Aligned *>(memory);
    else if (is("realloc"))
        moved = realloc(memory, 100000);
    else if (is("shrink"))
        moved = realloc(memory, 40);
    else
        free(memory);
}

__attribute__((noinline)) static void use()
{
    memory[3] = 1;
}

static void *first(void *step)
{
    (*static_cast<void (**)()>(step))();
    unseen_signal(1);
    return nullptr;
}

int main(int, char **argv)
{
    pthread_t t;
    how = argv[1];
    void (*before)() = drop, (*after)() = use;
    if (!strcmp(argv[2], "use-first")) {
        before = use;
        after = drop;
    }
    make();
    pthread_create(&t, nullptr, first, &before);
    unseen_wait(1);
    after();
    pthread_join(t, nullptr);
    return 0;
}
