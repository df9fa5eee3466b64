// A locale with a facet of the program's: the last of several threads that hold it destroys it.
#include <locale>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

struct point : std::numpunct<char> {
    char c = ';';
    std::string kept = std::string(40, 'k');
    char do_decimal_point() const override
    {
        return c;
    }
    ~point() override
    {
        c = 0;
    }
};

static std::string results[3];

int main()
{
    for (int round = 0; round < 10; round++) {
        std::locale shared(std::locale::classic(), new point);
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; i++)
            threads.emplace_back([copy = shared, i] {
                std::ostringstream out;
                out.imbue(copy);
                out << 1.5;
                results[i] = out.str();
            });
        shared = std::locale::classic();
        for (auto &t : threads)
            t.join();
    }
    return results[0] != "1;5";
}
