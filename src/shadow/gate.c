#include "shadow/gate.h"

#include <linux/membarrier.h>

#include "base/sys.h"

static read_mostly bool can_fence;

bool gate_init(void)
{
    can_fence = sys_call3(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    return can_fence;
}

bool gate_can_fence(void)
{
    return can_fence;
}

void gate_fence_all(void)
{
    sys_call3(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}
