/* Prints what the kernel knows of the process's memory. */
#include <stdio.h>

int main(void)
{
    char line[256];
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        fputs(line, stdout);
    return maps == NULL;
}
