/* The documents (docs/, in Markdown) as plain text for a terminal: `photofinish help TOPIC` shows them, so
 * that what it says is written once. */
#pragma once

#include <stddef.h>
#include <stdio.h>

struct markdown {
    const char *at;
    size_t length;
};

/* What stands under that heading, with the headings below it; with "" all of it. Nothing if there is no such
 * heading. */
struct markdown markdown_section(struct markdown document, const char *heading);

void markdown_plain(struct markdown text, FILE *out);
