/* C++20: std::barrier, std::latch and std::counting_semaphore, all made of atomics. */
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

enum { THREADS = 3, ROUNDS = 20 };

static int cell[THREADS], sum, handed;
static std::barrier round_end(THREADS, []() noexcept {
    for (int c : cell)
        sum += c;
});
static std::latch done(THREADS);
static std::binary_semaphore full(0), empty(1);

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back([i] {
            for (int r = 0; r < ROUNDS; r++) {
                cell[i] = 1;
                round_end.arrive_and_wait();
                cell[i] = 0;
                round_end.arrive_and_wait();
            }
            done.count_down();
        });
    done.wait();
    int total = sum;
    std::thread consumer([] {
        for (int i = 0; i < ROUNDS; i++) {
            full.acquire();
            handed++;
            empty.release();
        }
    });
    for (int i = 0; i < ROUNDS; i++) {
        empty.acquire();
        handed++;
        full.release();
    }
    consumer.join();
    for (auto &t : threads)
        t.join();
    return total >= 0 && handed == 2 * ROUNDS ? 0 : 1;
}
