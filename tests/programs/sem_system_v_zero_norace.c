/* Whoever waits until nothing is left is after whoever took the last. */
#include "message.h"

#include <sys/sem.h>

static int id;

static void give(void)
{
    struct sembuf take_one = {.sem_op = -1};
    must(semop(id, &take_one, 1) == 0);
}

static void take(void)
{
    struct sembuf wait = {.sem_op = 0};
    struct timespec long_time = {.tv_sec = 50};
    must(semtimedop(id, &wait, 1, &long_time) == 0);
}

int main(void)
{
    must((id = semget(IPC_PRIVATE, 1, 0600)) >= 0 && semctl(id, 0, SETVAL, 1) == 0);
    message();
    semctl(id, 0, IPC_RMID);
    return 0;
}
