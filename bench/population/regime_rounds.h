/* Threads are started anew for every round: they read what is shared and change their own. */
static size_t first;

static void work(unsigned me)
{
    uint32_t state = seed_of(me + (unsigned)first * 64);
    for (size_t i = 0; i < OPERATIONS; i++) {
        thing_read(instance[0], &state);
        if (writes(&state))
            thing_write(instance[1 + me], &state);
        private_work(&state);
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    if (threads > 16)
        threads = 16;
    make_instances(1 + threads);
    size_t rounds = operations() * THREADS / threads / OPERATIONS;
    for (; first <= rounds && first < 2000; first++)
        program_run(work);
    free_instances(1 + threads);
    return 0;
}
