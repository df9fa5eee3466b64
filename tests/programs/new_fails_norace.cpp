// When there is no memory, operator new calls the program's handler and throws; the nothrow forms say nullptr.
#include <cstdio>
#include <new>
#include <thread>

static int handled;

static void handler()
{
    if (++handled % 3 == 0)
        std::set_new_handler(nullptr);
}

static void *volatile result; // what nobody looks at need not be allocated
static volatile std::size_t huge = std::size_t(1) << 62;

template <typename F> static bool throws(F f)
{
    handled = 0;
    std::set_new_handler(handler);
    try {
        f();
    } catch (const std::bad_alloc &) {
        return handled == 3;
    }
    return false;
}

static bool all()
{
    const std::align_val_t a{64};
    return throws([] { result = ::operator new(huge); }) && throws([] { result = ::operator new[](huge); }) &&
           throws([a] { result = ::operator new(huge, a); }) && throws([a] { result = ::operator new[](huge, a); }) &&
           ::operator new(huge, std::nothrow) == nullptr && ::operator new[](huge, std::nothrow) == nullptr &&
           ::operator new(huge, a, std::nothrow) == nullptr && ::operator new[](huge, a, std::nothrow) == nullptr;
}

int main()
{
    bool good = false;
    std::thread([&good] { good = all(); }).join();
    return !good || !all();
}
