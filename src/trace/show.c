#include "trace/show.h"

/* Length of the valid UTF-8 sequence of a printable character at the start of the text; 0: there is none. */
static size_t printable(const unsigned char *text, size_t left)
{
    unsigned char c = text[0];
    if (c < 0x80)
        return c >= 0x20 && c != 0x7f;
    size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || left < length)
        return 0;
    uint32_t code = c & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0xa0 /* past the C1 controls */, 0x800, 0x10000};
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code >= least[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

static bool is_hex(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

static bool looks_escaped(const unsigned char *text, size_t left)
{
    return left >= 3 && text[0] == '%' && is_hex(text[1]) && is_hex(text[2]);
}

bool name_is_printable(struct name name)
{
    size_t at = 0, length = 1;
    for (; at < name.length && length > 0; at += length)
        length = printable((const unsigned char *)name.text + at, name.length - at);
    return length > 0;
}

char *show_name(struct mem *mem, struct name name, size_t *length)
{
    static const char digits[] = "0123456789ABCDEF";
    const unsigned char *text = (const unsigned char *)name.text;
    char *shown = mem_alloc(mem, SHOWN_BYTES(name));
    size_t used = 0;
    for (size_t i = 0; i < name.length;) {
        size_t whole = looks_escaped(text + i, name.length - i) ? 0 : printable(text + i, name.length - i);
        for (size_t k = 0; k < whole; k++)
            shown[used++] = name.text[i + k];
        i += whole;
        if (whole == 0) {
            shown[used++] = '%';
            shown[used++] = digits[text[i] >> 4];
            shown[used++] = digits[text[i] & 15];
            i++;
        }
    }
    *length = used;
    return shown;
}

void show_name_to(FILE *out, struct name name, int width)
{
    struct mem mem = {0};
    size_t length;
    char *shown = show_name(&mem, name, &length);
    if (length == 0)
        fprintf(out, "%-*s", width, "\"\"");
    else
        fprintf(out, "%.*s%*s", (int)length, shown, (int)length < width ? width - (int)length : 0, "");
    mem_free(&mem, shown, SHOWN_BYTES(name));
}
