// The standard streams are for all threads at once; so is a stream that each wraps in std::osyncstream.
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <syncstream>
#include <thread>
#include <vector>

static std::ostringstream collected;

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([i] {
            for (int k = 0; k < 20; k++) {
                std::cout << "thread " << i << ' ' << k * 1.5 << ' ' << std::string(20, 'x') << true << '\n';
                std::cerr << "" << k << std::endl;
                std::osyncstream(collected) << i << "," << k << ";";
            }
            std::cout << std::flush;
        });
    for (auto &t : threads)
        t.join();
    return collected.str().size() < 4 * 20 * 4;
}
