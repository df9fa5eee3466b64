/* All looks at the list of what is loaded are taken in dl_iterate_phdr, which keeps others from changing it. */
#include "runtime/intercept/needed.h"

#include "runtime/intercept/caller.h"
#include "runtime/intercept/elf.h"

/* --- names --- */

static const char *base_name(const char *path)
{
    const char *file = path;
    for (const char *c = path; *c != '\0'; c++)
        if (*c == '/')
            file = c + 1;
    return file;
}

static bool same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Does it go by this name, of another library's list? That may be a path: how it was written when the library was loaded
 * is not known, nor from where. */
static bool is_called(const struct link_map *l, const char *name)
{
    struct elf elf;
    if (same(base_name(l->l_name), base_name(name)))
        return true;
    for (const ElfW(Dyn) *d = l->l_ld; elf_open(&elf, l->l_addr, l->l_ld) && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_SONAME)
            return same(elf.names + d->d_un.d_val, name);
    return false;
}

/* --- the libraries --- */

static void add(struct needed *needed, const struct link_map *l)
{
    for (size_t i = 0; i < needed->count; i++)
        if (needed->library[i] == l)
            return;
    if (needed->count < NEEDED_MOST)
        needed->library[needed->count++] = l;
}

static void add_called(struct needed *needed, const char *name)
{
    for (const struct link_map *l = _r_debug.r_map; l != NULL; l = l->l_next)
        if (is_called(l, name))
            add(needed, l);
}

static void add_needed_by(struct needed *needed, const struct link_map *l)
{
    struct elf elf;
    for (const ElfW(Dyn) *d = l->l_ld; elf_open(&elf, l->l_addr, l->l_ld) && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED)
            add_called(needed, elf.names + d->d_un.d_val);
}

struct question {
    struct needed *needed;
    const void *handle;
    uintptr_t code;
};

static bool is_meant(const struct link_map *l, const struct question *q)
{
    if (q->handle != NULL)
        return l == q->handle;
    const struct module *m = caller_module(q->code);
    return m != NULL && (uintptr_t)l->l_ld >= m->from && (uintptr_t)l->l_ld < m->to;
}

static int find_all(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct question *q = context;
    (void)info;
    (void)size;
    for (const struct link_map *l = _r_debug.r_map; l != NULL; l = l->l_next)
        if (is_meant(l, q))
            add(q->needed, l);
    for (size_t i = 0; i < q->needed->count; i++)
        add_needed_by(q->needed, q->needed->library[i]);
    return 1;
}

void needed_of(struct needed *needed, const void *handle, uintptr_t code)
{
    needed->count = 0;
    dl_iterate_phdr(find_all, &(struct question){needed, handle, code});
}

/* --- those that nobody else needs --- */

static bool is_among(const struct needed *needed, const struct link_map *l)
{
    for (size_t i = 0; i < needed->count; i++)
        if (needed->library[i] == l)
            return true;
    return false;
}

static bool needs(const struct link_map *l, const struct link_map *other)
{
    struct elf elf;
    for (const ElfW(Dyn) *d = l->l_ld; elf_open(&elf, l->l_addr, l->l_ld) && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED && is_called(other, elf.names + d->d_un.d_val))
            return true;
    return false;
}

/* By a library that is not among them. */
static bool is_needed_elsewhere(const struct needed *needed, const struct link_map *library)
{
    for (const struct link_map *l = _r_debug.r_map; l != NULL; l = l->l_next)
        if (!is_among(needed, l) && needs(l, library))
            return true;
    return false;
}

struct range {
    struct needed *needed;
    uintptr_t from, to;
};

static int find_only(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct range *r = context;
    struct needed *n = r->needed;
    (void)info;
    (void)size;
    for (const struct link_map *l = _r_debug.r_map; l != NULL; l = l->l_next)
        if ((uintptr_t)l->l_ld >= r->from && (uintptr_t)l->l_ld < r->to)
            add(n, l);
    for (size_t i = 0; i < n->count; i++)
        add_needed_by(n, n->library[i]);
    for (size_t i = 1; i < n->count; i++)
        if (is_needed_elsewhere(n, n->library[i])) {
            n->library[i] = n->library[--n->count];
            i = 0; /* start again: others may be needed by the one taken out */
        }
    if (n->count > 0) /* the library itself */
        n->library[0] = n->library[--n->count];
    return 1;
}

void needed_only_by(struct needed *needed, uintptr_t from, uintptr_t to)
{
    needed->count = 0;
    dl_iterate_phdr(find_only, &(struct range){needed, from, to});
}

/* --- those that are new --- */

static int find_last(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct link_map *l = _r_debug.r_map;
    (void)info;
    (void)size;
    while (l != NULL && l->l_next != NULL)
        l = l->l_next;
    *(const struct link_map **)context = l;
    return 1;
}

const struct link_map *needed_last(void)
{
    const struct link_map *last = NULL;
    dl_iterate_phdr(find_last, &last);
    return last;
}

/* If the last one has been unloaded meanwhile, all may be new. */
static int find_since(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct question *q = context;
    const struct link_map *l = _r_debug.r_map;
    (void)info;
    (void)size;
    while (l != NULL && l != q->handle)
        l = l->l_next;
    for (l = l != NULL ? l->l_next : _r_debug.r_map; l != NULL; l = l->l_next)
        add(q->needed, l);
    return 1;
}

void needed_since(struct needed *needed, const struct link_map *last)
{
    needed->count = 0;
    dl_iterate_phdr(find_since, &(struct question){.needed = needed, .handle = last});
}
