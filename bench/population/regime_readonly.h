/* All threads read what one has made; a mutex now and then begins a new epoch. */
static pthread_mutex_t lock[64];

static void work(unsigned me)
{
    uint32_t state = seed_of(me);
    for (size_t i = 0; i < operations(); i++) {
        thing_read(instance[0], &state);
        private_work(&state);
        if (i % OPERATIONS == 0) {
            pthread_mutex_t *m = &lock[below(&state, threads)];
            pthread_mutex_lock(m);
            pthread_mutex_unlock(m);
        }
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    for (unsigned i = 0; i < 64; i++)
        pthread_mutex_init(&lock[i], NULL);
    make_instances(1);
    program_run(work);
    free_instances(1);
    return 0;
}
