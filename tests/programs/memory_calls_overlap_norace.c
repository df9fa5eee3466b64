/* memmove of overlapping memory gives what it should, and one thread does not race with itself. */
#include <stdlib.h>
#include <string.h>

static volatile size_t size = 100;

int main(void)
{
    char text[200];
    for (int i = 0; i < 200; i++)
        text[i] = (char)i;
    if (memmove(text + 10, text, size) != text + 10 || text[10] != 0 || text[109] != 99)
        abort();
    char copy[200];
    memset(copy, 7, size);
    if (memcpy(copy + 1, text, size) != copy + 1 || copy[0] != 7 || copy[100] != text[99])
        abort();
    return 0;
}
