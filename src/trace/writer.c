#include "trace/writer.h"

#include <string.h>

const struct writer_format *const writer_formats[] = {&writer_std, &writer_pft, NULL};

const struct writer_format *writer_format_named(const char *name)
{
    for (size_t i = 0; writer_formats[i] != NULL; i++)
        if (strcmp(writer_formats[i]->name, name) == 0)
            return writer_formats[i];
    return NULL;
}

const struct writer_format *writer_format_for(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; writer_formats[i] != NULL; i++) {
        const char *ending = writer_formats[i]->ending;
        size_t ending_length = strlen(ending);
        if (length > ending_length && strcmp(path + length - ending_length, ending) == 0)
            return writer_formats[i];
    }
    return NULL;
}
