#include "report/unseen.h"

#include <inttypes.h>
#include <string.h>

#include "report/imports.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool file_begins_with(const char *path, const char *beginning)
{
    return strncmp(base_name(path), beginning, strlen(beginning)) == 0;
}

static const struct unseen_library libraries[] = {
#define X(file, name, teller, words, function) {file, name, teller, words, function},
    UNSEEN_LIBRARIES(X)
#undef X
};

const struct unseen_library *unseen_library(const char *path)
{
    for (size_t i = 0; i < array_length(libraries); i++)
        if (file_begins_with(path, libraries[i].file))
            return &libraries[i];
    return NULL;
}

bool library_is_modelled(const char *path)
{
    static const char *const modelled[] = {"ld-linux",    "libc.so",           "libm.so",     "libpthread",
                                           "libdl.so",    "librt.so",          "libutil.so",  "libanl.so",
                                           "libresolv",   "libnss_",           "libcrypt.so", "libatomic.so",
                                           "libgcc_s.so", "libstdc++.so",      "libc++.so",   "libc++abi",
                                           "libunwind",   "libphotofinish.so", "libtsan.so"};
    for (size_t i = 0; i < array_length(modelled); i++)
        if (file_begins_with(path, modelled[i]))
            return true;
    return false;
}

/* --- which library --- */

/* What all the sentences end with. */
#define CONSEQUENCE                                                                                           \
    "what it orders by means of its own is not seen. If it orders these two accesses, this is a false alarm " \
    "(photofinish help annotations: how to tell of it)."

static const char *path_of(const struct raw_module *m, struct pool *pool)
{
    return pool_text(pool, m->path.text, m->path.length);
}

/* Is there another library that tells how this one orders threads? */
static bool is_told(const struct raw_race *raw, const char *path, struct pool *pool)
{
    const struct unseen_library *known = unseen_library(path);
    for (uint64_t i = 0; known != NULL && known->teller != NULL && i < raw->module_count; i++)
        if (file_begins_with(path_of(&raw->module[i], pool), known->teller))
            return true;
    return false;
}

/* The path of a module that was not built with pfcc, and is none that the runtime knows; NULL: any other address. */
static const char *foreign_module(const struct raw_race *raw, const struct live_frame *f, struct pool *pool)
{
    if (f->module == NULL || library_is_modelled(f->module) || is_told(raw, f->module, pool))
        return NULL;
    for (uint64_t i = 0; i < raw->module_count; i++)
        if (f->address >= raw->module[i].from && f->address < raw->module[i].to)
            return raw->module[i].flags & WIRE_MODULE_SEEN ? NULL : f->module;
    return NULL;
}

/* It called pthread_create: the innermost frame of the thread's creation is its own. */
static struct unseen creator(const struct live_thread *t, const struct raw_race *raw, struct pool *pool)
{
    const char *path = t != NULL && t->stack.count > 0 ? foreign_module(raw, &t->stack.frame[0], pool) : NULL;
    if (path == NULL)
        return (struct unseen){NULL, NULL};
    const char *file = base_name(path);
    return (struct unseen){file, pool_format(pool,
                                             "%s, which was not built with pfcc, created thread T%" PRIu64
                                             ": " CONSEQUENCE,
                                             file, t->id)};
}

/* It called the code that made the access. */
static struct unseen calls(const struct live_access *a, const struct raw_race *raw, struct pool *pool)
{
    const char *path = NULL;
    for (size_t i = 0; path == NULL && i < a->stack.count; i++)
        path = foreign_module(raw, &a->stack.frame[i], pool);
    if (path == NULL)
        return (struct unseen){NULL, NULL};
    const char *file = base_name(path);
    return (struct unseen){
        file, pool_format(pool, "%s, which was not built with pfcc, is on a stack of this race: " CONSEQUENCE,
                          file)};
}

/* Does code that was built with pfcc call what orders threads there? */
static bool is_used(const struct unseen_library *known, const struct raw_race *raw, struct pool *pool)
{
    for (uint64_t i = 0; i < raw->module_count; i++) {
        const char *path = path_of(&raw->module[i], pool);
        if (raw->module[i].flags & WIRE_MODULE_SEEN && !library_is_modelled(path) &&
            file_imports(path, known->words))
            return true;
    }
    return false;
}

/* The program has one of the known ones, and may have used its locks or queues for these accesses. */
static struct unseen loaded(const struct raw_race *raw, struct pool *pool)
{
    for (uint64_t i = 0; i < raw->module_count; i++) {
        const struct raw_module *m = &raw->module[i];
        if (m->flags & WIRE_MODULE_SEEN)
            continue;
        const char *path = path_of(m, pool);
        const struct unseen_library *known = unseen_library(path);
        if (known != NULL && !is_told(raw, path, pool) && is_used(known, raw, pool))
            return (struct unseen){
                base_name(path),
                pool_format(pool, "The program uses %s (%s), which was not built with pfcc: " CONSEQUENCE,
                            base_name(path), known->name)};
    }
    return (struct unseen){NULL, NULL};
}

/* An unknown library: does code that was built with pfcc call a function of it that is about locks or queues by its name? Not
 * if the library uses libc's locks, which are seen, and no futexes of its own. */
static bool may_order(const char *library, const struct raw_race *raw, struct pool *pool)
{
    static const char names[] = "mutex Mutex _lock Lock spinlock queue Queue semaphore Semaphore",
                      futex[] = "syscall",
                      libc[] = "pthread_mutex_ pthread_rwlock_ pthread_spin_ pthread_cond_ sem_ mtx_ cnd_";
    if (!file_imports(library, futex) && file_imports(library, libc))
        return false;
    for (uint64_t i = 0; i < raw->module_count; i++) {
        const char *path = path_of(&raw->module[i], pool);
        if (raw->module[i].flags & WIRE_MODULE_SEEN && !library_is_modelled(path) &&
            file_calls(path, library, names))
            return true;
    }
    return false;
}

static struct unseen unknown(const struct raw_race *raw, struct pool *pool)
{
    for (uint64_t i = 0; i < raw->module_count; i++) {
        const char *path = path_of(&raw->module[i], pool);
        if (raw->module[i].flags & WIRE_MODULE_SEEN || library_is_modelled(path) ||
            unseen_library(path) != NULL || !may_order(path, raw, pool))
            continue;
        return (struct unseen){
            base_name(path),
            pool_format(pool,
                        "The program uses locks or queues of %s, which was not built with pfcc: " CONSEQUENCE,
                        base_name(path))};
    }
    return (struct unseen){NULL, NULL};
}

/* The program, or an instrumented library, has one of the known libraries linked statically. Its file does not say whether
 * that was built with pfcc, too. */
static struct unseen contained(const struct raw_race *raw, struct pool *pool)
{
    for (uint64_t i = 0; i < raw->module_count; i++) {
        const char *path = path_of(&raw->module[i], pool);
        if (!(raw->module[i].flags & WIRE_MODULE_SEEN) || library_is_modelled(path))
            continue;
        for (const struct unseen_library *l = libraries; l < libraries + array_length(libraries); l++)
            if (l->function != NULL && file_defines(path, l->function))
                return (struct unseen){
                    l->name,
                    pool_format(pool,
                                "%s contains %s, linked statically: unless that was built with pfcc, "
                                "too, " CONSEQUENCE,
                                base_name(path), l->name)};
    }
    return (struct unseen){NULL, NULL};
}

struct unseen unseen_of_race(const struct live_race *r, const struct raw_race *raw, struct pool *pool)
{
    struct unseen u = creator(r->earlier.thread, raw, pool);
    u = u.text != NULL ? u : creator(r->current.thread, raw, pool);
    u = u.text != NULL ? u : calls(&r->earlier, raw, pool);
    u = u.text != NULL ? u : calls(&r->current, raw, pool);
    u = u.text != NULL ? u : loaded(raw, pool);
    u = u.text != NULL ? u : contained(raw, pool);
    return u.text != NULL ? u : unknown(raw, pool);
}
