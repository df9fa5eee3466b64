/* Multiset (004): numbers in an array of slots, each of which has a lock of its own and is searched from the
 * front, one lock at a time; threads insert, delete and query at random. An insertion first takes a free
 * slot, and makes it valid later. SIZE is the number of operations. */
#include "program.h"

enum { SLOTS = 64, NUMBERS = 64, NOTHING = NUMBERS };
enum operation { INSERT, DELETE, QUERY, OPERATIONS };

struct slot {
    pthread_mutex_t lock;
    uint32_t number; /* or NOTHING */
    bool valid;
};

static struct slot slots[SLOTS];
static uint64_t (*inserted)[NUMBERS]; /* by each thread, less what it deleted */

static bool take(struct slot *slot, uint32_t number)
{
    pthread_mutex_lock(&slot->lock);
    bool free_slot = slot->number == NOTHING;
    if (free_slot)
        slot->number = number;
    pthread_mutex_unlock(&slot->lock);
    return free_slot;
}

static void make_valid(struct slot *slot)
{
    pthread_mutex_lock(&slot->lock);
    slot->valid = true;
    pthread_mutex_unlock(&slot->lock);
}

/* These three return whether there was a slot to do it in. */

static bool insert(uint32_t number)
{
    for (struct slot *slot = slots; slot < slots + SLOTS; slot++)
        if (take(slot, number)) {
            make_valid(slot);
            return true;
        }
    return false;
}

static bool erase(uint32_t number)
{
    for (struct slot *slot = slots; slot < slots + SLOTS; slot++) {
        pthread_mutex_lock(&slot->lock);
        bool here = slot->number == number && slot->valid;
        if (here) {
            slot->number = NOTHING;
            slot->valid = false;
        }
        pthread_mutex_unlock(&slot->lock);
        if (here)
            return true;
    }
    return false;
}

static bool query(uint32_t number)
{
    for (struct slot *slot = slots; slot < slots + SLOTS; slot++) {
        pthread_mutex_lock(&slot->lock);
        bool here = slot->number == number && slot->valid;
        pthread_mutex_unlock(&slot->lock);
        if (here)
            return true;
    }
    return false;
}

static void work(unsigned me)
{
    uint32_t seed = me + 1;
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        enum operation operation = (random_next(&seed) >> 8) % OPERATIONS;
        uint32_t number = (random_next(&seed) >> 8) % NUMBERS;
        switch (operation) {
        case INSERT:
            inserted[me][number] += insert(number);
            break;
        case DELETE:
            inserted[me][number] -= erase(number);
            break;
        default:
            query(number); /* what it answers is the other threads' doing */
        }
    }
}

/* Those that are not there as often as they were inserted and not deleted, or that query() is wrong about;
 * and slots that are neither free nor valid. */
static uint64_t wrong_numbers(void)
{
    uint64_t wrong = 0;
    for (uint32_t number = 0; number < NUMBERS; number++) {
        uint64_t expected = 0, there = 0;
        for (unsigned i = 0; i < threads; i++)
            expected += inserted[i][number];
        for (unsigned i = 0; i < SLOTS; i++)
            there += slots[i].number == number && slots[i].valid;
        wrong += there != expected || query(number) != (expected > 0);
    }
    for (unsigned i = 0; i < SLOTS; i++)
        wrong += slots[i].valid != (slots[i].number != NOTHING);
    return wrong;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 60000);
    inserted = program_memory(threads, sizeof *inserted);
    for (unsigned i = 0; i < SLOTS; i++) {
        pthread_mutex_init(&slots[i].lock, NULL);
        slots[i].number = NOTHING;
    }
    program_run(work);
    return program_end("the number of wrong numbers and slots", wrong_numbers(), 0);
}
