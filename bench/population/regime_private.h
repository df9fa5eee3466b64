/* Each thread has an instance of its own, and locks a mutex now and then. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t done;

static void work(unsigned me)
{
    uint32_t state = seed_of(me);
    for (size_t i = 0; i < operations(); i++) {
        operate(instance[me], &state);
        private_work(&state);
        if (i % OPERATIONS == 0) {
            pthread_mutex_lock(&lock);
            done++;
            pthread_mutex_unlock(&lock);
        }
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    make_instances(threads);
    program_run(work);
    free_instances(threads);
    return 0;
}
