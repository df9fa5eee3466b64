/* A function that is called in a thread of libc's when a message has come. */
#include "message.h"

#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static mqd_t queue;
static sem_t called;

static void ring(union sigval value)
{
    must(value.sival_ptr == &queue);
    x = 3;
    sem_post(&called);
}

static void give(void)
{
    must(mq_send(queue, "!", 1, 0) == 0);
}

static void take(void)
{
    sem_wait(&called);
}

int main(void)
{
    char name[32];
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring, .sigev_value.sival_ptr = &queue};
    snprintf(name, sizeof name, "/pf_notify_%d", (int)getpid());
    sem_init(&called, 0, 0);
    must((queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes)) >= 0);
    mq_unlink(name);
    must(mq_notify(queue, &event) == 0);
    return message();
}
