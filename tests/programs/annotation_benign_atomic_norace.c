/* A race of atomic accesses, relaxed ones among them, with a plain one that came before their memory was annotated as
 * benign. */
#include "dynamic_annotations.h"
#include "threads_together.h"
#include "unseen.h"

int data;

THREAD(adder)
{
    unseen_wait(1);
    AnnotateBenignRaceSized(HERE, &data, sizeof data, "statistics");
    __atomic_fetch_add(&data, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 3; i++)
        __atomic_load_n(&data, __ATOMIC_ACQUIRE);
    return NULL;
}

THREAD(setter)
{
    data = 2;
    unseen_signal(1);
    return NULL;
}

int main(void)
{
    run(adder, setter);
    return 0;
}
