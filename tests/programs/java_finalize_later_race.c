/* What is done after finalizers were called is not ordered before them. */
#include "java.h"
#include "threads_together.h"
#include "unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

THREAD(first)
{
    unseen_wait(1);
    pthread_mutex_lock(&lock); /* it releases something: what follows is of another time */
    pthread_mutex_unlock(&lock);
    *java_int(64 + 8) = 1;
    unseen_signal(2);
    return NULL;
}

THREAD(second)
{
    __tsan_java_finalize();
    unseen_signal(1);
    unseen_wait(2);
    *java_int(64 + 8) = 2;
    return NULL;
}

int main(void)
{
    java_begin();
    __tsan_java_alloc(java_at(64), 32);
    run(first, second);
    return 0;
}
