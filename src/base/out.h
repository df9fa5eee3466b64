/* Text to a file descriptor without libc: for code inside the program under test. */
#pragma once

#include "base/base.h"

struct out {
    int fd;
    bool failed; /* something could not be written; not where the user has closed the descriptor */
    size_t length;
    char text[2048];
};

void out_bytes(struct out *out, const char *bytes, size_t length);
void out_text(struct out *out, const char *text);
void out_number(struct out *out, uint64_t number);
void out_hex(struct out *out, uint64_t number); /* 0x... */
void out_flush(struct out *out);
