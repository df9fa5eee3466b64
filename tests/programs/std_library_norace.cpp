// Strings, streams, locales, regular expressions, random numbers: each thread its own, some of it shared
// inside.
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <locale>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::string results[4];
static const std::regex number("([0-9]+)x");

static void work(int i)
{
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << std::setw(8) << std::hex << i << ' ' << 3.5 << ' ' << std::boolalpha << true;
    std::istringstream in("17 text 2.5");
    int n;
    std::string word;
    double d;
    in >> n >> word >> d;
    std::locale mine(std::locale(), new std::numpunct<char>());
    out.imbue(mine);
    out << n << word << d;
    std::mt19937 random(i);
    std::uniform_int_distribution<int> dice(1, 6);
    std::smatch match;
    std::string text = std::to_string(dice(random)) + "0x";
    if (std::regex_search(text, match, number))
        out << match[1];
    std::unordered_map<std::string, std::function<int()>> table;
    table[word] = [n] { return n; };
    out << table.at("text")();
    std::cout << "" << std::flush;
    std::clog << std::string();
    try {
        (void)std::stoi("none");
    } catch (const std::exception &e) {
        out << e.what();
    }
    results[i] = out.str();
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, i);
    for (auto &t : threads)
        t.join();
    return results[0].empty() || results[3].empty();
}
