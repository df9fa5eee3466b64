/* A semaphore of System V: added to, taken from. */
#include "message.h"

#include <sys/sem.h>

static int id;

static void give(void)
{
    struct sembuf add = {.sem_op = 1};
    must(semop(id, &add, 1) == 0);
}

static void take(void)
{
    struct sembuf take_one = {.sem_op = -1};
    must(semop(id, &take_one, 1) == 0);
}

int main(void)
{
    must((id = semget(IPC_PRIVATE, 1, 0600)) >= 0 && semctl(id, 0, SETVAL, 0) == 0);
    message();
    semctl(id, 0, IPC_RMID);
    return 0;
}
