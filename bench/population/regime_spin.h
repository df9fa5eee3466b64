/* Instances under spin locks made of atomic operations. */
enum { INSTANCES = 1 + STRIDE * 3 };

static struct {
    atomic_int held;
    char apart[60];
} lock[INSTANCES];

static void work(unsigned me)
{
    uint32_t state = seed_of(me);
    size_t left = operations();
    while (left > 0) {
        size_t round = left < OPERATIONS ? left : OPERATIONS;
        unsigned which = below(&state, INSTANCES);
        while (atomic_exchange_explicit(&lock[which].held, 1, memory_order_acquire) != 0)
            sched_yield();
        for (size_t i = 0; i < round; i++)
            operate(instance[which], &state);
        atomic_store_explicit(&lock[which].held, 0, memory_order_release);
        for (size_t i = 0; i < round; i++)
            private_work(&state);
        left -= round;
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    make_instances(INSTANCES);
    program_run(work);
    free_instances(INSTANCES);
    return 0;
}
