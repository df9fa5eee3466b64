/* A core file does not hold the shadow's address space: the kernel would take hours to look at it. */
#include <string.h>

#include "must.h"

int main(void)
{
    char line[1000];
    unsigned long kilobytes = 0, large = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    must(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        sscanf(line, "Size: %lu kB", &kilobytes);
        if (strncmp(line, "VmFlags:", 8) == 0 && kilobytes >= 1ul << 20) {
            large++;
            must(strstr(line, " dd ") != NULL);
        }
    }
    fclose(maps);
    must(large > 0);
    return 0;
}
