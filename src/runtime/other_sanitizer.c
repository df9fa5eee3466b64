#include "runtime/other_sanitizer.h"

#include <link.h>

/* What the library calls itself; "" if nothing. The dynamic linker has made an address of the table of names, but for
 * the kernel's object, which is mapped read-only. */
static const char *own_name(const struct link_map *object)
{
    const ElfW(Dyn) *name = NULL, *names = NULL;
    for (const ElfW(Dyn) *d = object->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SONAME)
            name = d;
        if (d->d_tag == DT_STRTAB)
            names = d;
    }
    if (name == NULL || names == NULL || names->d_un.d_ptr < object->l_addr)
        return "";
    return (const char *)names->d_un.d_ptr + name->d_un.d_val;
}

static bool begins_with(const char *text, const char *beginning)
{
    while (*beginning != '\0' && *text == *beginning) {
        text++;
        beginning++;
    }
    return *beginning == '\0';
}

const char *other_sanitizer(void)
{
    static const char *const names[] = {"libtsan.so",         "libasan.so",         "liblsan.so",
                                        "libhwasan.so",       "libclang_rt.tsan",   "libclang_rt.asan",
                                        "libclang_rt.lsan",   "libclang_rt.hwasan", "libclang_rt.msan",
                                        "libclang_rt.memprof"};
    for (const struct link_map *object = _r_debug.r_map; object != NULL; object = object->l_next) {
        const char *name = own_name(object);
        for (size_t i = 0; i < array_length(names); i++)
            if (begins_with(name, names[i]))
                return name;
    }
    return NULL;
}
