// std::barrier with threads that leave, a split arrival, and a completion function that sees all of a round.
#include <barrier>
#include <thread>
#include <vector>

enum { THREADS = 4 };

static int cell[THREADS], totals[THREADS], rounds;

static void complete() noexcept
{
    for (int c : cell)
        totals[rounds] += c;
    rounds++;
}

static std::barrier<void (*)() noexcept> round_end(THREADS, complete);

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back([i] {
            for (int r = 0; r < i; r++) {
                cell[i]++;
                auto token = round_end.arrive();
                round_end.wait(std::move(token));
            }
            cell[i]++;
            round_end.arrive_and_drop();
        });
    for (auto &t : threads)
        t.join();
    return rounds != 4 || totals[0] != 4 || totals[3] != 10;
}
