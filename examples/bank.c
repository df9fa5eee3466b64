/* Two tellers and an auditor. Deposits take the account's lock; the audit forgets to. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void deposit(int amount)
{
    pthread_mutex_lock(&account);
    balance += amount;
    pthread_mutex_unlock(&account);
}

static void *teller(void *unused)
{
    for (int i = 0; i < 1000; i++)
        deposit(1);
    return unused;
}

static void *auditor(void *unused)
{
    printf("the balance is about %d\n", balance); /* no lock */
    return unused;
}

int main(void)
{
    void *(*const roles[])(void *) = {teller, teller, auditor};
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, roles[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
