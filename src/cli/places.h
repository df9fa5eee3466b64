/* Where a recorded program's accesses were made, and what its variables are called: from addresses to texts,
 * with the modules that it was made of. */
#pragma once

#include "trace/names.h"

struct places;

struct places *places_new(void);
void places_free(struct places *places);

/* Looks at what the process is made of now. What it was made of before is kept: modules come and go. */
void places_look(struct places *places, uint32_t pid);

/* The call stack that has this number: return addresses, innermost first. */
void places_stack(struct places *places, uint32_t node, const uint64_t *pc, size_t count);

/* Of an access made in that stack: "file:line function < file:line caller < ...". */
uint32_t places_location(struct places *places, struct names *names, uint64_t pc, uint32_t node);

/* The variable's name in the source, "+offset" behind it where it is a part of it; or the address. */
void places_variable(struct places *places, uint64_t address, char *text, size_t size);
