/* Two threads that take from a semaphore are not ordered by it. */
#include "message.h"

#include <sys/sem.h>

static int id;

static void take_one(void)
{
    struct sembuf one = {.sem_op = -1};
    must(semop(id, &one, 1) == 0);
}

static void give(void)
{
    take_one();
    unseen_signal(1);
}

static void take(void)
{
    unseen_wait(1);
    take_one();
}

int main(void)
{
    must((id = semget(IPC_PRIVATE, 1, 0600)) >= 0 && semctl(id, 0, SETVAL, 2) == 0);
    message();
    semctl(id, 0, IPC_RMID);
    return 0;
}
