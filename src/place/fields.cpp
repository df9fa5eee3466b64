/* Accesses of one block, with nothing between them that may synchronize or not come to an end, are checked
 * together where the first of them is: the others follow for certain. The bytes of a group have no gaps.
 */
#include "place/fields.h"

#include <llvm/ADT/MapVector.h>

using namespace llvm;

namespace place
{
namespace
{

enum { LARGEST_GROUP = 256 };

using Together = MapVector<std::pair<Value *, unsigned>, SmallVector<unsigned, 8>>; /* by base and kind */

/* Runs of fields without gaps, of whole words in all. */
void find_groups(Checks &checks, SmallVectorImpl<unsigned> &fields)
{
    llvm::sort(fields, [&](unsigned a, unsigned b) { return checks[a].at.offset < checks[b].at.offset; });
    for (size_t from = 0, to; from < fields.size(); from = to) {
        int64_t end = checks[fields[from]].at.offset, bytes = 0;
        for (to = from; to < fields.size() && checks[fields[to]].at.offset == end && bytes < LARGEST_GROUP;
             to++) {
            end += checks[fields[to]].size;
            bytes += checks[fields[to]].size;
        }
        to = std::max(to, from + 1);
        if (to - from > 1 && bytes % WORD == 0)
            make_group(checks, ArrayRef(fields).slice(from, to - from));
    }
}

} // namespace

void make_group(Checks &checks, ArrayRef<unsigned> fields)
{
    Check group = checks[fields.front()];
    group.size = 0;
    for (unsigned i : fields) {
        if (checks[i].before->comesBefore(group.before))
            group.before = checks[i].before;
        group.size += checks[i].size;
        checks[i].needed = false;
    }
    group.address = nullptr;
    group.fields.assign(fields.begin(), fields.end());
    checks.push_back(group);
}

void unite_fields(Context &context, Checks &checks)
{
    DenseMap<const Instruction *, SmallVector<unsigned, 1>> check_at;
    for (unsigned i = 0; i < checks.size(); i++)
        if (checks[i].needed && !checks[i].vtable)
            check_at[checks[i].before].push_back(i);
    for (BasicBlock &block : context.function) {
        Together together;
        auto close = [&] {
            for (auto &[name, fields] : together)
                if (fields.size() > 1)
                    find_groups(checks, fields);
            together.clear();
        };
        for (Instruction &i : block) {
            if (auto here = check_at.find(&i); here != check_at.end())
                for (unsigned number : here->second)
                    together[{checks[number].at.base, checks[number].write ? 1u : 0u}].push_back(number);
            if (!goes_on(i))
                close();
        }
        close();
    }
}

void dissolve(Checks &checks, Check &group)
{
    group.needed = false;
    for (unsigned i : group.fields)
        checks[i].needed = true;
}

void dissolve_rest(Checks &checks)
{
    for (Check &check : checks)
        if (check.needed && check.is_group() && !check.is_range())
            dissolve(checks, check);
}

} // namespace place
