// Every form of operator new and delete, from threads that know nothing of each other.
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

struct alignas(128) wide {
    char bytes[256];
};

static bool good(void *block, std::size_t size, std::size_t alignment)
{
    std::memset(block, 1, size);
    return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

static void work(bool *bad)
{
    for (int i = 0; i < 100; i++) {
        void *p = ::operator new(100);
        *bad |= !good(p, 100, 16);
        ::operator delete(p, std::size_t(100));
        p = ::operator new[](100, std::nothrow);
        *bad |= !good(p, 100, 16);
        ::operator delete[](p, std::nothrow);
        p = ::operator new(100, std::align_val_t(512));
        *bad |= !good(p, 100, 512);
        ::operator delete(p, std::size_t(100), std::align_val_t(512));
        p = ::operator new[](100, std::align_val_t(64), std::nothrow);
        *bad |= !good(p, 100, 64);
        ::operator delete[](p, std::align_val_t(64), std::nothrow);
        p = ::operator new(0);
        *bad |= p == nullptr;
        ::operator delete(p);
        ::operator delete(nullptr);
        auto w = std::make_unique<wide[]>(3);
        *bad |= !good(w.get(), 3 * sizeof(wide), 128);
        std::vector<std::string> words(20, std::string(50, 'x'));
        *bad |= words[19].size() != 50;
    }
}

int main()
{
    bool bad[2] = {};
    std::thread a(work, &bad[0]), b(work, &bad[1]);
    a.join();
    b.join();
    return bad[0] || bad[1];
}
