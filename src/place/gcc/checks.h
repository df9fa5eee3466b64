/* gcc's checks: the calls of __tsan_readN and __tsan_writeN that its own pass has put before accesses. */
#pragma once

#include <gcc-plugin.h>

#include <tree.h>

#include <basic-block.h>
#include <gimple.h>

struct Check {
    gimple *call;
    tree address; /* gcc's term for it: what is equal is the same address, as it is over SSA names */
    unsigned size;
    bool writes;
    bool stays; /* something came after it that may be the last thing that happens */
};

bool is_check(gimple *statement, Check &check);
bool same_bytes(const Check &a, const Check &b);

/* May a statement that is no check order threads, or never come to an end? Calls of which nothing is known may; so may
 * assembly. Where it goes on to is not asked. */
bool may_synchronize(gimple *statement);

/* May it be the last thing that happens, by a fault, or since it is volatile? */
bool may_be_last(gimple *statement);

void drop(gimple *call);

/* In each basic block by itself. */
void drop_covered(function *function);
/* Checks of innermost loops go before them. Returns what gcc has to do afterwards. */
unsigned move_out_of_loops(function *function);
