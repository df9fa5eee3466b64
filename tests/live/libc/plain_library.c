/* A library that is not instrumented. */
#include <string.h>

void plain_fill(char *to, size_t size);
void plain_fill(char *to, size_t size)
{
    memset(to, 'x', size);
    to[0] = 'y'; /* no tail call: memset() is called from here */
}
