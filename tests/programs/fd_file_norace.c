/* A file that is opened twice: whoever reads what was written is after the writer. */
#include "message.h"

#include <fcntl.h>
#include <unistd.h>

static int in, out;

static void give(void)
{
    must(pwrite(out, "!", 1, 7) == 1);
}

static void take(void)
{
    char c;
    while (pread(in, &c, 1, 7) != 1)
        usleep(100);
    must(c == '!');
}

int main(void)
{
    char path[] = "/tmp/pf_file_XXXXXX";
    must((out = mkstemp(path)) >= 0 && (in = open(path, O_RDONLY)) >= 0);
    unlink(path);
    return message();
}
