/* A stream that is closed lets the other end read all, and its end. */
#include "message.h"

#include <unistd.h>

static FILE *in, *out;

static void give(void)
{
    must(fputs("abc", out) >= 0 && fclose(out) == 0);
}

static void take(void)
{
    char text[8];
    must(fread(text, 1, sizeof text, in) == 3);
}

int main(void)
{
    int fd[2];
    must(pipe(fd) == 0 && (in = fdopen(fd[0], "r")) != NULL && (out = fdopen(fd[1], "w")) != NULL);
    return message();
}
