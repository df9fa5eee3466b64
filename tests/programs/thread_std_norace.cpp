// std::thread and std::jthread: what they are given arrives, what they did is there after join.
#include <string>
#include <thread>
#include <vector>

static std::vector<std::string> words(4);

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([i, text = std::string("word")] { words[i] = text + std::to_string(i); });
    for (auto &t : threads)
        t.join();
    {
        std::jthread last([](std::stop_token stop) {
            while (!stop.stop_requested())
                std::this_thread::yield();
            words[0] += "!";
        });
    }
    return words[0] != "word0!" || words[3] != "word3";
}
