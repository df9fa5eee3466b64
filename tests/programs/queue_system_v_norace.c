/* A message queue of System V. */
#include "message.h"

#include <sys/msg.h>

static int id;
struct note {
    long type;
    char text[4];
};

static void give(void)
{
    struct note note = {.type = 3, .text = "abc"};
    must(msgsnd(id, &note, sizeof note.text, 0) == 0);
}

static void take(void)
{
    struct note note;
    must(msgrcv(id, &note, sizeof note.text, 0, 0) == sizeof note.text && note.type == 3);
}

int main(void)
{
    must((id = msgget(IPC_PRIVATE, 0600)) >= 0);
    message();
    msgctl(id, IPC_RMID, NULL);
    return 0;
}
