// std::async, std::promise and std::packaged_task: what was done before the result is there after get().
#include <future>
#include <string>
#include <thread>
#include <vector>

static std::vector<int> notes(3);

int main()
{
    auto first = std::async(std::launch::async, [] {
        notes[0] = 1;
        return std::string("first");
    });
    std::promise<int> promise;
    std::thread second([&promise] {
        notes[1] = 2;
        promise.set_value(2);
    });
    std::packaged_task<int(int)> task([](int value) {
        notes[2] = value;
        return value;
    });
    auto third = task.get_future();
    std::thread worker(std::move(task), 3);
    int sum = third.get() + promise.get_future().get() + (first.get() == "first");
    sum += notes[0] + notes[1] + notes[2];
    second.join();
    worker.join();
    return sum != 12;
}
