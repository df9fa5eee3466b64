/* A test in place saves the call of the runtime, which would make the same test. For the compiler it is ten
 * instructions and two blocks more, all the way to the end: several times what the call is. So there are tests
 * where the program spends its time, by what the compiler believes of that: not in blocks that few calls of the
 * function come to, and in large functions only for the checks that are made most often.
 */
#include "place/tests.h"

using namespace llvm;

namespace place
{
namespace
{

enum { COLD = 2, MOST_TESTS = 32 };

bool is_once(const Check &check)
{
    return !check.is_group() && (!check.is_range() || check.count->isOne());
}

/* In whole words, or in one. */
bool can_test(const Check &check)
{
    if (!check.needed || check.vtable || !is_once(check) || !check.guards.empty())
        return false;
    return is_usual_size(check.size) &&
           getLoadStoreAlignment(check.access).value() >= std::min<uint64_t>(check.size, WORD);
}

} // namespace

bool is_usual_size(uint32_t size)
{
    return size <= 16 && isPowerOf2_32(size);
}

void choose_tests(const Context &context, Checks &checks)
{
    uint64_t calls = context.frequencies.getEntryFreq().getFrequency();
    SmallVector<std::pair<uint64_t, Check *>, 32> by_frequency;
    for (Check &check : checks) {
        uint64_t times = context.frequencies.getBlockFreq(check.before->getParent()).getFrequency();
        if (can_test(check) && times >= calls / COLD)
            by_frequency.push_back({times, &check});
    }
    llvm::stable_sort(by_frequency, [](auto &a, auto &b) { return a.first > b.first; });
    for (auto &[times, check] : ArrayRef(by_frequency).take_front(MOST_TESTS))
        check->tested = true;
}

} // namespace place
