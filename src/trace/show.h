/* Names as they are shown to people and put into JSON.
 *
 * A trace may call things what it likes. What is valid UTF-8 and no control character stays; every other byte
 * becomes %XX, and so does a '%' that could be taken for one: different names stay different, and no name can
 * forge a line of a report or send a terminal a command.
 */
#pragma once

#include <stdio.h>

#include "trace/names.h"

/* The shown form, in memory charged to mem (at most SHOWN_BYTES(name) long). Free it with that size. */
#define SHOWN_BYTES(name) ((size_t)(name).length * 3 + 1)
char *show_name(struct mem *mem, struct name name, size_t *length);

/* Is it all characters that can be shown? (A report that was read back has such names, shown before.) */
bool name_is_printable(struct name name);

/* The shown form, padded with blanks to a width; an empty name is shown as "". */
void show_name_to(FILE *out, struct name name, int width);
