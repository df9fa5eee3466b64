// A program that replaces operator new and delete has its own called, by the other forms too.
#include <cstdlib>
#include <new>
#include <thread>

static thread_local int news, deletes;

void *operator new(std::size_t size)
{
    news++;
    if (void *block = std::malloc(size))
        return block;
    throw std::bad_alloc();
}

void operator delete(void *block) noexcept
{
    deletes++;
    std::free(block);
}

static void work(bool *bad)
{
    int before = news, before_deletes = deletes;
    void *volatile p = ::operator new[](10);
    ::operator delete[](p);
    p = ::operator new(10, std::nothrow);
    ::operator delete(p, std::nothrow);
    p = ::operator new[](10, std::nothrow);
    ::operator delete[](p, std::size_t(10));
    *bad = news - before != 3 || deletes - before_deletes != 3;
}

int main()
{
    bool bad = true;
    std::thread(work, &bad).join();
    return bad;
}
