/* A variable with a full read vector and a full write vector: the state of vc and of djit. */
#pragma once

#include "detect/accesses.h"

struct variable {
    struct accesses reads, writes;
};

static inline void variable_clear(struct variable *v, struct access_sets *sets)
{
    (void)sets;
    accesses_clear(&v->reads);
    accesses_clear(&v->writes);
}

static inline void variable_copy(struct variable *to, const struct variable *from, struct access_sets *sets)
{
    accesses_copy(&to->reads, &from->reads, sets);
    accesses_copy(&to->writes, &from->writes, sets);
}

static inline void variable_free(struct variable *v, struct access_sets *sets)
{
    accesses_free(&v->reads, sets);
    accesses_free(&v->writes, sets);
}
