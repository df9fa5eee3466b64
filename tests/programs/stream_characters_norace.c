/* Characters through streams on a pipe, one of which keeps nothing back. */
#include "message.h"

static FILE *in, *out;

static void give(void)
{
    must(putc('!', out) == '!');
}

static void take(void)
{
    must(getc(in) == '!');
}

int main(void)
{
    int pipe(int fd[2]), fd[2];
    must(pipe(fd) == 0 && (in = fdopen(fd[0], "r")) != NULL && (out = fdopen(fd[1], "w")) != NULL);
    setvbuf(out, NULL, _IONBF, 0);
    return message();
}
