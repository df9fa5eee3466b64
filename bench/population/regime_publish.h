/* One thread makes a new instance now and then and publishes it by an atomic pointer; the others read the newest. */
enum { GENERATIONS = 24, SMALL = BYTES / GENERATIONS };

static _Atomic(struct thing *) newest;
static struct thing *made[GENERATIONS];

static void work(unsigned me)
{
    uint32_t state = seed_of(me);
    size_t all = operations();
    if (me == 0) {
        for (unsigned i = 1; i < GENERATIONS; i++) {
            made[i] = thing_make(SMALL, &state);
            thing_write(made[i], &state);
            atomic_store_explicit(&newest, made[i], memory_order_release);
            for (size_t k = 0; k < all / GENERATIONS; k++)
                private_work(&state);
        }
        return;
    }
    for (size_t i = 0; i < all; i++) {
        thing_read(atomic_load_explicit(&newest, memory_order_acquire), &state);
        private_work(&state);
    }
}

int main(int argc, char **argv)
{
    uint32_t state = 12345;
    begin(argc, argv);
    made[0] = thing_make(SMALL, &state);
    atomic_store_explicit(&newest, made[0], memory_order_release);
    program_run(work);
    for (unsigned i = 0; i < GENERATIONS; i++)
        thing_free(made[i]);
    return 0;
}
