/* A function that is called when a message has come. */
#include "to_come.h"

#include <fcntl.h>
#include <mqueue.h>
#include <sys/syscall.h>

static mqd_t queue;

static void ask(void)
{
    char name[32];
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
    snprintf(name, sizeof name, "/pf_to_come_%d", (int)getpid());
    must((queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes)) >= 0);
    mq_unlink(name);
    must(mq_notify(queue, &calls) == 0);
}

static void come(void)
{
    must(syscall(SYS_mq_timedsend, queue, "!", 1, 0, NULL) == 0);
}
