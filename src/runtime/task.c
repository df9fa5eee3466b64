#include "runtime/task.h"

#include "runtime/secure.h"

static char *append(char *to, const char *text)
{
    while (*text != '\0')
        *to++ = *text++;
    return to;
}

static char *append_number(char *to, unsigned number)
{
    char digits[12];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

size_t task_read(int kernel_id, const char *file, char *text, size_t room)
{
    char path[64];
    *append(append(append_number(append(path, "/proc/self/task/"), (unsigned)kernel_id), "/"), file) = '\0';
    long fd = secure_open(path);
    long got = fd >= 0 ? sys_call3(SYS_read, fd, (long)text, (long)room - 1) : 0;
    if (fd >= 0)
        sys_call3(SYS_close, fd, 0, 0);
    size_t length = got > 0 ? (size_t)got : 0;
    text[length] = '\0';
    return length;
}
