/* A message queue. */
#include "message.h"

#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <unistd.h>

static mqd_t queue;

static void give(void)
{
    must(mq_send(queue, "!", 1, 0) == 0);
}

static void take(void)
{
    char text[8];
    unsigned priority;
    must(mq_receive(queue, text, sizeof text, &priority) == 1);
}

int main(void)
{
    char name[32];
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
    snprintf(name, sizeof name, "/pf_queue_%d", (int)getpid());
    must((queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes)) >= 0);
    mq_unlink(name);
    return message();
}
