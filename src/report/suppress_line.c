#include "report/suppress_line.h"

static const char *const type_name[] = {
#define X(name) #name,
    SUPPRESSION_TYPES(X)
#undef X
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The length of the type's name if the line begins with it and a colon, else 0. */
static size_t begins_with(const char *line, size_t length, const char *name)
{
    size_t i = 0;
    while (i < length && name[i] != '\0' && line[i] == name[i])
        i++;
    return name[i] == '\0' && i < length && line[i] == ':' ? i : 0;
}

enum suppression_result suppression_line_parse(const char *line, size_t length,
                                               struct suppression_line *parsed)
{
    while (length > 0 && is_blank(line[length - 1]))
        length--;
    while (length > 0 && is_blank(*line)) {
        line++;
        length--;
    }
    if (length == 0 || *line == '#')
        return SUPPRESSION_NONE;
    for (size_t type = 0; type < array_length(type_name); type++) {
        size_t name = begins_with(line, length, type_name[type]);
        if (name == 0)
            continue;
        *parsed = (struct suppression_line){(enum suppression_type)type, line + name + 1, length - name - 1,
                                            "there is nothing after the colon"};
        return parsed->pattern_length > 0 ? SUPPRESSION_GOOD : SUPPRESSION_BAD;
    }
    bool colon = false;
    for (size_t i = 0; i < length; i++)
        colon |= line[i] == ':';
    parsed->problem = colon ? "there is no such type" : "no type and colon";
    return SUPPRESSION_BAD;
}
