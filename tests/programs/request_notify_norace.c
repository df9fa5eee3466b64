/* A function that is called in a thread of libc's when a message has come. */
#include "request.h"

#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <unistd.h>

static mqd_t queue;

static void ask(void)
{
    struct sigevent event = calls_done;
    must(mq_notify(queue, &event) == 0);
    must(mq_send(queue, "!", 1, 0) == 0);
}

int main(void)
{
    char name[32];
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
    snprintf(name, sizeof name, "/pf_request_%d", (int)getpid());
    must((queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes)) >= 0);
    mq_unlink(name);
    request();
    return 0;
}
