#include "base/count.h"

#ifdef PF_COUNT

#include "base/out.h"

struct count_shard count_shards[MOST_SHARDS];
__thread unsigned count_mine;

void count_choose_shard(void)
{
    static unsigned last;
    count_mine = add_relaxed(&last, 1) + 1;
}

static void put(struct out *out, const char *name, uint64_t number)
{
    out_text(out, "  ");
    out_text(out, name);
    out_text(out, " ");
    out_number(out, number);
    out_text(out, "\n");
}

/* `part` of `whole` with three digits after the point. */
static void put_ratio(struct out *out, const char *name, uint64_t part, uint64_t whole)
{
    uint64_t thousandths = whole == 0 ? 0 : (uint64_t)((double)part * 1000 / (double)whole + 0.5);
    out_text(out, "  ");
    out_text(out, name);
    out_text(out, " ");
    out_number(out, thousandths / 1000);
    out_text(out, thousandths % 1000 < 10 ? ".00" : thousandths % 1000 < 100 ? ".0" : ".");
    out_number(out, thousandths % 1000);
    out_text(out, "\n");
}

void count_print(void)
{
    static bool printed;
    static const char *const name[COUNT_KINDS] = {
#define X(name, text) text,
        COUNTS(X)
#undef X
    };
    uint64_t sum[COUNT_KINDS] = {0};
    struct out out = {.fd = 2};
    if (__atomic_test_and_set(&printed, __ATOMIC_RELAXED))
        return;
    for (unsigned shard = 0; shard < MOST_SHARDS; shard++)
        for (unsigned kind = 0; kind < COUNT_KINDS; kind++)
            sum[kind] += load_relaxed(&count_shards[shard].of[kind]);
    out_text(&out, "Photofinish: counted\n");
    for (unsigned kind = 0; kind < COUNT_KINDS; kind++)
        put(&out, name[kind], sum[kind]);
    put(&out, "checks", count_checks(sum));
    put_ratio(&out, "check-ratio", count_checks(sum), sum[COUNT_ACCESSES]);
    put_ratio(&out, "same-epoch-share", sum[COUNT_SAME_EPOCH], sum[COUNT_ACCESSES]);
    put_ratio(&out, "slow-path-share", sum[COUNT_SLOW], sum[COUNT_ACCESSES] + sum[COUNT_LIBC]);
    out_flush(&out);
}

void count_forked(void)
{
    __builtin_memset(count_shards, 0, sizeof count_shards);
}

#endif
