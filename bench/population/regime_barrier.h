/* Rounds: each thread changes its own instance; then, after a barrier, all read their neighbours'. */
static pthread_barrier_t barrier;

static void work(unsigned me)
{
    uint32_t state = seed_of(me);
    size_t left = operations();
    while (left > 0) {
        size_t round = left < OPERATIONS ? left : OPERATIONS;
        for (size_t i = 0; i < round; i++)
            if (writes(&state))
                thing_write(instance[me], &state);
            else
                thing_read(instance[me], &state);
        pthread_barrier_wait(&barrier);
        for (size_t i = 0; i < round; i++) {
            thing_read(instance[SHUFFLED ? below(&state, threads) : (me + 1) % threads], &state);
            private_work(&state);
        }
        pthread_barrier_wait(&barrier);
        left -= round;
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    size /= 2;
    pthread_barrier_init(&barrier, NULL, threads);
    make_instances(threads);
    program_run(work);
    free_instances(threads);
    return 0;
}
