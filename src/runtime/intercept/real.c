/* Finds the definition after ours: RTLD_NEXT without the dynamic linker's help.
 *
 * The list of loaded objects is in the order of loading, which for what a program is linked with is the order
 * of symbol lookup. It only grows at its end while we read it (an object that is unloaded meanwhile is one
 * that came with dlopen, far behind libc, where the search normally ends). When we came with a dlopen'ed
 * library ourselves, libc is in front of us: then the search goes on from the start.
 */
#include "runtime/intercept/real.h"

#include <sys/auxv.h>

#include "base/out.h"
#include "runtime/intercept/elf.h"
#include "runtime/options.h"

extern HIDDEN struct real __start_pf_real[], __stop_pf_real[];
extern HIDDEN ElfW(Dyn) _DYNAMIC[];

/* The kernel's own object has functions with names of libc's, which do not set errno. */
static bool is_kernels(const struct link_map *object)
{
    return object->l_addr != 0 && object->l_addr == getauxval(AT_SYSINFO_EHDR);
}

/* Another runtime, one in the program and one that a library has brought along: only the first of them is
 * called by anybody, and none is what the other stands in front of. */
static bool is_runtime(const struct elf *elf)
{
    return elf_function(elf, "__tsan_init") != NULL;
}

static void *find_in(const struct link_map *object, const struct link_map *end, const char *name)
{
    for (; object != end; object = object->l_next) {
        struct elf elf;
        bool open = !is_kernels(object) && elf_open(&elf, object->l_addr, object->l_ld);
        void *address = open ? elf_function(&elf, name) : NULL;
        if (address != NULL && !is_runtime(&elf))
            return address;
    }
    return NULL;
}

const struct link_map *real_own_object(void)
{
    const struct link_map *object = _r_debug.r_map;
    while (object != NULL && object->l_ld != _DYNAMIC)
        object = object->l_next;
    return object;
}

static void *find_after(const struct link_map *object, const char *name)
{
    return object != NULL ? find_in(object->l_next, NULL, name) : NULL;
}

static void *find(const char *name)
{
    const struct link_map *us = real_own_object();
    void *address = find_after(us, name);
    return address != NULL ? address : find_in(_r_debug.r_map, us, name);
}

bool real_find(struct real *entry)
{
    void *address = load_relaxed(&entry->address);
    if (address == NULL)
        store_relaxed(&entry->address, address = find(entry->name));
    return address != NULL;
}

cold_path void *real_find_slow(struct real *entry)
{
    if (real_find(entry))
        return entry->address;
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: the program calls ");
    out_text(&out, entry->name);
    out_text(&out, ", which the C library does not have\n");
    out_flush(&out);
    sys_exit_process(EXIT_TOOL_FAILED);
}

bool real_too_late;

/* Nobody calls interceptors that come after what they intercept. */
static cold_path void say_too_late(const struct link_map *us)
{
    struct out out = {.fd = 2};
    out_text(&out,
             "photofinish: the race detector was loaded after the C library and does not see threads and "
             "locks, so it reports nothing (exit status 64 if several threads run instrumented code); start "
             "the program with photofinish run, or with LD_PRELOAD=");
    out_text(&out, us->l_name);
    out_text(&out, "\n");
    out_flush(&out);
}

void real_find_all(void)
{
    const struct link_map *us = real_own_object();
    if (us != NULL && find_after(us, "pthread_create") == NULL) {
        real_too_late = true;
        say_too_late(us);
        runtime_options.report_bugs = false; /* all that locks order would be told */
    }
    for (struct real *entry = __start_pf_real; entry < __stop_pf_real; entry++)
        real_find(entry);
}
