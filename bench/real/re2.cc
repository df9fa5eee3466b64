/* re2_threads THREADS LINES <TEXT: threads look for patterns that all share in lines of TEXT. A pattern's states are made
 * when they are first needed, in a cache that all threads read and fill, and that is emptied when it is full. Prints how
 * often each pattern was found, and a sum of where. */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "re2/re2.h"

static const char *const expression[] = {
    "([a-z]+)q([a-z]*) ",
    "(?i)\\b(Q[aeiou]|[xyz]{2,})(\\w+)\\b",
    "(a|e|i|o|u)[^aeiou ]{3,5}(a|e|i|o|u)[^z]*$|z{2}",
    "\\b(\\w)\\w*(ab|ba|cd|dc)+\\w* (\\w+)",
    "[a-m]{4,8}[n-z]{1,3} [a-f]",
    ".*(aa|bb|cc|dd).*(ee|ff|gg|hh)?.{20,40}",
};
enum { PATTERNS = sizeof expression / sizeof *expression, CHUNK = 16, CACHE = 1 << 16 };

static std::vector<std::string> lines;
static std::vector<std::unique_ptr<RE2>> patterns;
static std::atomic<size_t> next_line;
static std::atomic<long> found[PATTERNS], places[PATTERNS];

static void look_in(const std::string &line)
{
    for (int i = 0; i < PATTERNS; i++) {
        re2::StringPiece rest(line), part;
        while (!rest.empty() && RE2::FindAndConsume(&rest, *patterns[i], &part)) {
            found[i].fetch_add(1, std::memory_order_relaxed);
            places[i].fetch_add(static_cast<long>(rest.size() * 7 + part.size()), std::memory_order_relaxed);
        }
    }
}

static void work()
{
    for (size_t from; (from = next_line.fetch_add(CHUNK)) < lines.size();)
        for (size_t i = from; i < from + CHUNK && i < lines.size(); i++)
            look_in(lines[i]);
}

int main(int argc, char **argv)
{
    int threads = argc == 3 ? std::atoi(argv[1]) : 0;
    if (threads <= 0) {
        std::fprintf(stderr, "usage: re2_threads THREADS LINES\n");
        return 2;
    }
    std::string line;
    while (lines.size() < std::strtoul(argv[2], nullptr, 10) && std::getline(std::cin, line))
        lines.push_back(line);
    RE2::Options options;
    options.set_max_mem(CACHE);
    for (const char *text : expression) {
        std::string group = std::string("(") + text + ")";
        patterns.emplace_back(new RE2(group, options));
        if (!patterns.back()->ok())
            return 1;
    }
    std::vector<std::thread> thread;
    for (int i = 0; i < threads; i++)
        thread.emplace_back(work);
    for (std::thread &t : thread)
        t.join();
    for (int i = 0; i < PATTERNS; i++)
        std::printf("%ld %ld\n", found[i].load(), places[i].load());
    return 0;
}
