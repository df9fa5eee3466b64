/* Two threads take turns. */
#include "pair.h"

int x, turn;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *player(void *number)
{
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&m);
        while (turn != (long)number)
            pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m);
        x++; /* its turn: nobody else touches it */
        pthread_mutex_lock(&m);
        turn = !turn;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, player, (void *)0);
    pthread_create(&b, NULL, player, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x != 1000;
}
