/* Instances with a mutex each, one or several: its holder works on it. */
static pthread_mutex_t lock[64];
enum { INSTANCES = SHUFFLED ? 1 : 1 + STRIDE * 3 };

static void work(unsigned me)
{
    uint32_t state = seed_of(me);
    size_t left = operations();
    while (left > 0) {
        size_t round = left < OPERATIONS ? left : OPERATIONS;
        unsigned which = below(&state, INSTANCES);
        pthread_mutex_lock(&lock[which]);
        for (size_t i = 0; i < round; i++)
            operate(instance[which], &state);
        pthread_mutex_unlock(&lock[which]);
        for (size_t i = 0; i < round; i++)
            private_work(&state);
        left -= round;
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    for (unsigned i = 0; i < INSTANCES; i++)
        pthread_mutex_init(&lock[i], NULL);
    make_instances(INSTANCES);
    program_run(work);
    free_instances(INSTANCES);
    return 0;
}
