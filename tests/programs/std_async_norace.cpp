// std::async, deferred and not, chained, with results that allocate, and shared futures.
#include <future>
#include <map>
#include <string>
#include <vector>

static std::vector<int> notes(8);

static std::map<std::string, int> count(int from)
{
    std::map<std::string, int> result;
    for (int i = from; i < from + 10; i++)
        result[std::to_string(i % 7)]++;
    notes[from / 10] = from;
    return result;
}

int main()
{
    std::vector<std::future<std::map<std::string, int>>> parts;
    for (int i = 0; i < 4; i++)
        parts.push_back(std::async(i == 3 ? std::launch::deferred : std::launch::async, count, 10 * i));
    auto all = std::async(std::launch::async, [moved = std::move(parts)]() mutable {
        int sum = 0;
        for (auto &p : moved)
            for (auto &[name, number] : p.get())
                sum += number + notes[0];
        return sum;
    });
    std::shared_future<int> shared = all.share();
    auto first = std::async(std::launch::async, [shared] { return shared.get() + notes[1]; });
    auto second = std::async(std::launch::async, [shared] { return shared.get() + notes[2]; });
    if (first.wait_for(std::chrono::hours(1)) != std::future_status::ready)
        return 1;
    return first.get() + second.get() != 110 || notes[3] != 30;
}
