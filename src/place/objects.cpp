/* What a program does with an object is mostly new to the epoch as a whole: the value of a list's element and its link,
 * all that a block begins with. Accesses of one block, with nothing between them that may synchronize or never return,
 * share one test, where the first of them is, and one call of the runtime:
 *
 *   a row    neighbouring fields of 4 or 8 bytes, 8 or 16 in all, that are all read or all written
 *   bytes    neighbouring parts of words, up to 8 bytes in all, that are all read or all written: the call alone
 *   a pair   two fields of 8 bytes near each other, of which one may be read and the other written
 *
 * The calls are in runtime/fields.c. There are no rows and pairs where the object is the next step of a loop.
 */
#include "place/objects.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

using namespace llvm;

namespace place
{
namespace
{

enum { LARGE = 8, FARTHEST = 64, ROW = 16 };

bool may_be_one(const Check &check)
{
    return check.needed && check.tested && !check.vtable && !check.is_range() && !check.is_group() &&
           check.size <= LARGE && getLoadStoreAlignment(check.access).value() >= check.size;
}

bool is_step_of_loop(Context &context, Value *base, BasicBlock *block)
{
    Loop *loop = context.loops.getLoopFor(block);
    if (loop == nullptr || !context.evolution.isSCEVable(base->getType()))
        return false;
    auto *steps = dyn_cast<SCEVAddRecExpr>(context.evolution.getSCEV(base));
    return steps != nullptr && steps->getLoop() == loop;
}

void unite(Checks &checks, ArrayRef<unsigned> fields, bool pair)
{
    Check all = checks[fields.front()];
    all.size = 0;
    all.fields.assign(fields.begin(), fields.end());
    all.pair = pair;
    all.row = !pair;
    for (unsigned i : fields) {
        if (checks[i].before->comesBefore(all.before))
            all.before = checks[i].before;
        all.size += checks[i].size;
        checks[i].needed = false;
    }
    checks.push_back(all);
}

/* How many of these, in the order of their offsets, are a row: as many as possible. 0: none. Two of 8 bytes are a
 * pair, which may be in two states. */
size_t length_of_row(const Checks &checks, ArrayRef<unsigned> fields)
{
    const Check &first = checks[fields.front()];
    int64_t from = first.at.offset, end = from;
    size_t length = 0, count = 0;
    bool small = false;
    if (from % LARGE != 0)
        return 0;
    for (unsigned i : fields) {
        if (!checks[i].needed || checks[i].size < WORD || checks[i].at.offset != end ||
            checks[i].write != first.write || end - from >= ROW)
            break;
        end += checks[i].size;
        small |= checks[i].size < LARGE;
        count++;
        if (small && count > 1 && (end - from == LARGE || end - from == ROW))
            length = count;
    }
    return length;
}

void find_rows(Checks &checks, ArrayRef<unsigned> fields)
{
    for (size_t length; !fields.empty(); fields = fields.drop_front(std::max<size_t>(length, 1))) {
        length = length_of_row(checks, fields);
        if (length > 0)
            unite(checks, fields.take_front(length), /*pair=*/false);
    }
}

/* Parts of words: as many neighbours as 8 bytes hold. */
void find_bytes(Checks &checks, ArrayRef<unsigned> fields)
{
    for (size_t length; !fields.empty(); fields = fields.drop_front(length)) {
        const Check first = checks[fields.front()];
        int64_t end = first.at.offset;
        for (length = 0; length < fields.size(); length++) {
            const Check &next = checks[fields[length]];
            if (!next.needed || next.size >= WORD || next.write != first.write || next.at.offset != end ||
                end + next.size - first.at.offset > LARGE)
                break;
            end += next.size;
        }
        if (length > 1) {
            unite(checks, fields.take_front(length), /*pair=*/false);
            checks.back().tested = false;
        }
        length = std::max<size_t>(length, 1);
    }
}

/* Neighbours, by their offsets. */
void find_pairs(Checks &checks, ArrayRef<unsigned> fields)
{
    SmallVector<unsigned, 8> large;
    copy_if(fields, std::back_inserter(large),
            [&](unsigned i) { return checks[i].needed && checks[i].size == LARGE; });
    for (size_t i = 0; i + 1 < large.size(); i++) {
        int64_t distance = checks[large[i + 1]].at.offset - checks[large[i]].at.offset;
        if (distance < LARGE || distance > FARTHEST)
            continue;
        unite(checks, ArrayRef(large).slice(i, 2), /*pair=*/true);
        i++;
    }
}

void find_all(Checks &checks, SmallVectorImpl<unsigned> &fields, bool step)
{
    llvm::stable_sort(fields,
                      [&](unsigned a, unsigned b) { return checks[a].at.offset < checks[b].at.offset; });
    find_bytes(checks, fields);
    if (step)
        return;
    find_rows(checks, fields);
    find_pairs(checks, fields);
}

} // namespace

void check_objects_at_once(Context &context, Checks &checks)
{
    DenseMap<const Instruction *, SmallVector<unsigned, 1>> check_at;
    for (unsigned i = 0; i < checks.size(); i++)
        if (may_be_one(checks[i]))
            check_at[checks[i].before].push_back(i);
    for (BasicBlock &block : context.function) {
        MapVector<Value *, SmallVector<unsigned, 8>> together; /* by the object */
        auto close = [&] {
            for (auto &[base, here] : together)
                if (here.size() > 1)
                    find_all(checks, here, is_step_of_loop(context, base, &block));
            together.clear();
        };
        for (Instruction &i : block) {
            if (auto here = check_at.find(&i); here != check_at.end())
                for (unsigned number : here->second)
                    together[checks[number].at.base].push_back(number);
            if (!goes_on(i))
                close();
        }
        close();
    }
}

} // namespace place
