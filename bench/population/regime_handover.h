/* Half of the threads make or change instances and hand them over by a queue to the other half, which send them back. */
enum { INSTANCES = 32 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct thing *item[INSTANCES + 64];
    unsigned first, count;
};
static struct queue forth = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0};
static struct queue back = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0};

static void queue_put(struct queue *q, struct thing *t)
{
    pthread_mutex_lock(&q->lock);
    q->item[(q->first + q->count++) % (INSTANCES + 64)] = t;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static struct thing *queue_take(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == 0)
        pthread_cond_wait(&q->filled, &q->lock);
    struct thing *t = q->item[q->first];
    q->first = (q->first + 1) % (INSTANCES + 64);
    q->count--;
    pthread_mutex_unlock(&q->lock);
    return t;
}

static void work(unsigned me)
{
    uint32_t state = seed_of(me);
    bool makes = me % 2 == 0;
    for (size_t left = operations() / OPERATIONS + 1; left > 0; left--) {
        struct thing *t = queue_take(makes ? &back : &forth);
        if (makes && STRIDE == 1 && BYTES / INSTANCES < 64 * LENGTH) {
            thing_free(t);
            t = thing_make(BYTES / INSTANCES, &state);
        }
        for (size_t i = 0; i < OPERATIONS; i++) {
            operate(t, &state);
            private_work(&state);
        }
        queue_put(makes ? &forth : &back, t);
    }
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    threads &= ~1u; /* as many that take as that give */
    make_instances(INSTANCES);
    for (unsigned i = 0; i < INSTANCES; i++)
        queue_put(&back, instance[i]);
    program_run(work);
    for (unsigned i = 0; i < INSTANCES; i++)
        thing_free(queue_take(&back));
    return 0;
}
