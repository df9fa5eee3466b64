/* The C++ library's streams, each used by one thread; std::cout by all. */
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

int main()
{
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; t++)
        threads.emplace_back([t] {
            std::map<std::string, int> count;
            for (int i = 0; i < 50; i++) {
                std::ostringstream out;
                out << "thread " << t << std::setw(5) << i << ' ' << 1.5 * i;
                std::istringstream in(out.str());
                std::string word;
                while (in >> word)
                    count[word + std::to_string(i)]++;
                std::cout << out.str() << '\n';
            }
        });
    for (auto &thread : threads)
        thread.join();
}
