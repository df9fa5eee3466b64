/* A race as data: two accesses to one variable, at least one a write, that happens-before does not order. */
#pragma once

#include "base/base.h"

enum race_kind { RACE_WRITE_WRITE, RACE_WRITE_READ, RACE_READ_WRITE }; /* first access, then second */

extern const char *const race_kind_name[];

#define UNKNOWN_THREAD UINT32_MAX

struct race_access {
    uint64_t event;    /* 1-based number in the trace */
    uint32_t thread;   /* UNKNOWN_THREAD until looked up in the trace */
    uint32_t location; /* trace/event.h */
};

struct race {
    uint32_t variable;
    enum race_kind kind;
    struct race_access first, second;
};
