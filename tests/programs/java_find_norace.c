/* Objects are found where they are: after allocation, after they have moved, not after they were freed; and a monitor that is
 * held while its object moves is held with all its levels. */
#include "java.h"
#include "must.h"

static void finds(size_t from, size_t to, size_t object, size_t size)
{
    unsigned long at = java_at(from);
    must(__tsan_java_find(&at, java_at(to)) == size);
    must(at == java_at(size > 0 ? object : from));
}

int main(void)
{
    java_begin();
    finds(0, JAVA_HEAP, 0, 0);
    __tsan_java_alloc(java_at(64), 32);
    __tsan_java_alloc(java_at(96), 8);
    __tsan_java_alloc(java_at(104), 48);
    finds(0, JAVA_HEAP, 64, 32);
    finds(64, 72, 64, 32);
    finds(72, 96, 0, 0);
    finds(72, JAVA_HEAP, 96, 8);
    finds(104, JAVA_HEAP, 104, 48);
    finds(0, 64, 0, 0);

    __tsan_java_mutex_lock_rec(java_at(104), 3);
    __tsan_java_move(java_at(64), java_at(80), 88); /* all three, over each other */
    finds(0, JAVA_HEAP, 80, 32);
    finds(88, JAVA_HEAP, 112, 8);
    finds(120, JAVA_HEAP, 120, 48);
    __tsan_java_move(java_at(80), java_at(8), 88);
    finds(0, JAVA_HEAP, 8, 32);
    finds(16, JAVA_HEAP, 40, 8);
    finds(48, JAVA_HEAP, 48, 48);
    finds(56, JAVA_HEAP, 0, 0);
    must(__tsan_java_mutex_unlock_rec(java_at(48)) == 3);

    __tsan_java_free(java_at(40), 56); /* two of them */
    finds(0, JAVA_HEAP, 8, 32);
    finds(16, JAVA_HEAP, 0, 0);
    __tsan_java_free(java_at(0), JAVA_HEAP);
    finds(0, JAVA_HEAP, 0, 0);
    return __tsan_java_fini();
}
