/* One thread serves all others: they put requests into its queue and wait for the answers. */
static struct request {
    pthread_mutex_t lock;
    pthread_cond_t answered;
    bool ready;
    uint32_t seed, amount;
    uint64_t answer;
    struct request *next;
} request[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static struct request *waiting;
static unsigned clients;

static void serve(void)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (waiting == NULL && clients > 0)
            pthread_cond_wait(&asked, &lock);
        struct request *r = waiting;
        if (r != NULL)
            waiting = r->next;
        pthread_mutex_unlock(&lock);
        if (r == NULL)
            return;
        uint32_t state = r->seed;
        for (uint32_t i = 0; i < r->amount; i++)
            operate(instance[0], &state);
        pthread_mutex_lock(&r->lock);
        r->answer = sink;
        r->ready = true;
        pthread_cond_signal(&r->answered);
        pthread_mutex_unlock(&r->lock);
    }
}

static void ask(struct request *r, uint32_t seed)
{
    r->seed = seed | 1;
    r->amount = OPERATIONS;
    r->ready = false;
    pthread_mutex_lock(&lock);
    r->next = waiting;
    waiting = r;
    pthread_cond_signal(&asked);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&r->lock);
    while (!r->ready)
        pthread_cond_wait(&r->answered, &r->lock);
    pthread_mutex_unlock(&r->lock);
    sink += r->answer;
}

static void work(unsigned me)
{
    uint32_t state = seed_of(me);
    if (me == 0) {
        serve();
        return;
    }
    for (size_t left = operations() / OPERATIONS + 1; left > 0; left--) {
        ask(&request[me], random_next(&state));
        private_work(&state);
    }
    pthread_mutex_lock(&lock);
    clients--;
    pthread_cond_signal(&asked);
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    clients = threads - 1;
    for (unsigned i = 0; i < threads; i++) {
        pthread_mutex_init(&request[i].lock, NULL);
        pthread_cond_init(&request[i].answered, NULL);
    }
    make_instances(1);
    program_run(work);
    free_instances(1);
    return 0;
}
