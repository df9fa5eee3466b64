/* One instance under a reader-writer lock. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void work(unsigned me)
{
    uint32_t state = seed_of(me);
    size_t left = operations();
    while (left > 0) {
        size_t round = left < OPERATIONS ? left : OPERATIONS;
        bool change = writes(&state);
        if (change)
            pthread_rwlock_wrlock(&lock);
        else
            pthread_rwlock_rdlock(&lock);
        for (size_t i = 0; i < round; i++)
            if (change)
                thing_write(instance[0], &state);
            else
                thing_read(instance[0], &state);
        pthread_rwlock_unlock(&lock);
        for (size_t i = 0; i < round; i++)
            private_work(&state);
        left -= round;
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    make_instances(1);
    program_run(work);
    free_instances(1);
    return 0;
}
