/* Bounded queue: producers fill messages and put them into a ring of 64 places, consumers take them out,
 * check and free them; a mutex and two condition variables. SIZE is the number of messages. One half of the
 * threads produces, and there is at least one of each kind: with THREADS 1 there are two threads. */
#include "program.h"

enum { PLACES = 64, WORDS = 24 };

struct message {
    unsigned producer;
    size_t number; /* among its producer's, from 1 */
    uint32_t word[WORDS];
    uint32_t digest; /* of word */
};

static struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    struct message *place[PLACES];
    size_t first, count;
    unsigned producing; /* producers that are not done */
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .not_empty = PTHREAD_COND_INITIALIZER,
           .not_full = PTHREAD_COND_INITIALIZER};

static unsigned producers;
static struct tally {
    uint64_t messages, digests, wrong;
} * tally;

static void put(struct message *message)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.count == PLACES)
        pthread_cond_wait(&queue.not_full, &queue.lock);
    queue.place[(queue.first + queue.count++) % PLACES] = message;
    pthread_mutex_unlock(&queue.lock);
    pthread_cond_signal(&queue.not_empty);
}

/* NULL if the queue is empty and no producer is left. */
static struct message *take(void)
{
    struct message *message = NULL;
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0 && queue.producing > 0)
        pthread_cond_wait(&queue.not_empty, &queue.lock);
    if (queue.count > 0) {
        message = queue.place[queue.first];
        queue.first = (queue.first + 1) % PLACES;
        queue.count--;
    }
    pthread_mutex_unlock(&queue.lock);
    pthread_cond_signal(&queue.not_full);
    return message;
}

static void finish_producing(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.producing--;
    pthread_mutex_unlock(&queue.lock);
    pthread_cond_broadcast(&queue.not_empty);
}

static uint32_t digest_of(const struct message *message)
{
    uint32_t digest = message->producer;
    for (unsigned i = 0; i < WORDS; i++)
        digest = (digest << 5 | digest >> 27) ^ message->word[i];
    return digest;
}

static void produce(unsigned me)
{
    uint32_t seed = me + 1;
    struct tally mine = {0};
    size_t messages = size * (me + 1) / producers - size * me / producers;
    for (size_t i = 0; i < messages; i++) {
        struct message *message = program_memory(1, sizeof *message);
        message->producer = me;
        message->number = i + 1;
        for (unsigned w = 0; w < WORDS; w++)
            message->word[w] = random_next(&seed);
        message->digest = digest_of(message);
        mine.digests += message->digest;
        put(message);
    }
    tally[me] = mine;
    finish_producing();
}

/* A consumer sees the messages of a producer in the order in which they were put. */
static void consume(unsigned me)
{
    struct tally mine = {0};
    size_t last[MOST_THREADS] = {0};
    for (struct message *message = take(); message != NULL; message = take()) {
        mine.messages++;
        mine.digests += digest_of(message);
        mine.wrong += digest_of(message) != message->digest || message->number <= last[message->producer];
        last[message->producer] = message->number;
        free(message);
    }
    tally[me] = mine;
}

static void work(unsigned me)
{
    if (me < producers)
        produce(me);
    else
        consume(me);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 100000);
    if (threads == 1)
        threads = 2;
    producers = queue.producing = threads / 2;
    tally = program_memory(threads, sizeof *tally);
    program_run(work);
    struct tally put_in = {0}, taken = {0};
    for (unsigned i = 0; i < threads; i++) {
        struct tally *to = i < producers ? &put_in : &taken;
        to->messages += tally[i].messages;
        to->digests += tally[i].digests;
        to->wrong += tally[i].wrong;
    }
    return program_end("the number of messages", taken.messages, size) |
           program_end("the sum of all messages", taken.digests, put_in.digests) |
           program_end("messages that are wrong", taken.wrong, 0);
}
