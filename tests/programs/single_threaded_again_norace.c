/* One thread and two, by turns; the only one changes what all others have left, and frees and gets memory. */
#include <stdlib.h>

#include "pair.h"

enum { WORDS = 64 };
int x[WORDS];
char *text;

static void *work(void *unused)
{
    for (int i = 0; i < WORDS; i++)
        x[i] += text[i];
    text[0]++;
    return unused;
}

int main(void)
{
    pthread_t t;
    for (int round = 0; round < 20; round++) {
        free(text);
        text = malloc(WORDS);
        for (int i = 0; i < WORDS; i++) {
            text[i] = (char)i;
            x[i] ^= round;
        }
        pthread_create(&t, NULL, work, NULL);
        pthread_join(t, NULL);
        if (text[0] != 1)
            return 1;
    }
    free(text);
    return 0;
}
