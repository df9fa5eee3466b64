#include "base/out.h"

#include <errno.h>

#include "base/sys.h"

void out_flush(struct out *out)
{
    for (size_t done = 0; done < out->length;) {
        long written = sys_write(out->fd, out->text + done, out->length - done);
        if (written <= 0 && written != -EINTR) {
            out->failed |= written != -EBADF;
            break; /* nobody is listening: there is nobody to tell */
        }
        done += written > 0 ? (size_t)written : 0;
    }
    out->length = 0;
}

void out_bytes(struct out *out, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (out->length == sizeof out->text)
            out_flush(out);
        out->text[out->length++] = bytes[i];
    }
}

void out_text(struct out *out, const char *text)
{
    for (; *text != '\0'; text++) /* the compiler makes a call of strlen() of a loop that only counts */
        out_bytes(out, text, 1);
}

static void digits(struct out *out, uint64_t number, unsigned base)
{
    char text[20];
    size_t at = sizeof text;
    do {
        text[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    out_bytes(out, text + at, sizeof text - at);
}

void out_number(struct out *out, uint64_t number)
{
    digits(out, number, 10);
}

void out_hex(struct out *out, uint64_t number)
{
    out_text(out, "0x");
    digits(out, number, 16);
}
