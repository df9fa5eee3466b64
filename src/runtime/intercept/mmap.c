/* Mappings. What is unmapped has no history any more; what is mapped over it begins anew; what moves takes
 * its history along. */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "base/out.h"
#include "runtime/access.h"
#include "runtime/history.h"
#include "runtime/intercept/fd.h"
#include "runtime/intercept/steps.h"
#include "runtime/places.h"
#include "runtime/world.h"

/* The kernel refuses any other range, whatever is to be done with it: nothing changes, so there is nothing to do for us
 * either. */
static bool is_range(const void *address, size_t size)
{
    const uintptr_t page = 4096, end = (UINT64_C(1) << 47) - page;
    return size > 0 && (uintptr_t)address % page == 0 && (uintptr_t)address <= end &&
           size <= end - (uintptr_t)address;
}

/* The words of a range that crosses the end of a window (shadow/map.h) are two ranges. One that is larger than a window
 * would have all the words there are, other memory's too; what is mapped there later is forgotten then. */
void mapping_forget(void *address, size_t size)
{
    const uintptr_t window = UINT64_C(1) << SHADOW_WINDOW_BITS;
    if (shadow_base == 0 || size > window || !is_range(address, size))
        return;
    uintptr_t at = (uintptr_t)address, end = at + size;
    while (at < end) {
        size_t part = min_size(end - at, window - at % window);
        world_clear(at, part);
        at += part;
    }
}

/* --- memory whose shadow other memory has (runtime/places.h) ---
 *
 * It would race with that one, and make its shadow empty. So it is refused, as by a kernel that has no more
 * addresses; where the program only wishes for an address, it gets another.
 */

static bool apart(const void *address, size_t size)
{
    return shadow_base == 0 || places_apart((uintptr_t)address, size);
}

/* Once: a program that does without the memory may ask for it again and again. */
static void say_refused(const void *address)
{
    static bool said;
    if (__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        return;
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: refused a mapping at ");
    out_hex(&out, (uintptr_t)address);
    out_text(&out, ": other memory has its shadow (`photofinish help live`)\n");
    out_flush(&out);
}

static void *refused(const void *address)
{
    say_refused(address);
    errno = ENOMEM;
    return MAP_FAILED;
}

typedef void *map_function(void *hint, size_t size, int protection, int flags, int fd, off_t offset);

/* Would the kernel map it, if elsewhere? Whatever else is wrong with the call is for the kernel to say. */
static bool is_mappable(map_function *real, size_t size, int protection, int flags, int fd, off_t offset)
{
    flags &= ~(MAP_FIXED | MAP_FIXED_NOREPLACE);
    void *mapped = real(NULL, size, protection, flags | MAP_NORESERVE, fd, offset);
    if (mapped == MAP_FAILED)
        return false;
    REAL(munmap)(mapped, size);
    return true;
}

static void *map(map_function *real, void *hint, size_t size, int protection, int flags, int fd, off_t offset)
{
    bool fixed = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;
    if (fixed && is_range(hint, size) && !apart(hint, size))
        return is_mappable(real, size, protection, flags, fd, offset) ? refused(hint) : MAP_FAILED;
    void *mapped = real(hint, size, protection, flags, fd, offset);
    if (mapped == MAP_FAILED)
        return mapped;
    if (!fixed && !apart(mapped, size)) {
        REAL(munmap)(mapped, size);
        return hint != NULL ? map(real, NULL, size, protection, flags, fd, offset) : refused(mapped);
    }
    places_claim((uintptr_t)mapped, size);
    mapping_forget(mapped, size);
    return mapped;
}

/* The file is used by the call only. */
static void use_file(int flags, int fd, uintptr_t pc)
{
    if (!(flags & MAP_ANONYMOUS) && caller() != NULL)
        fd_use(fd, pc);
}

INTERCEPT void *mmap(void *hint, size_t size, int protection, int flags, int fd, off_t offset)
{
    use_file(flags, fd, CALLER_PC);
    return map(REAL(mmap), hint, size, protection, flags, fd, offset);
}

INTERCEPT void *mmap64(void *hint, size_t size, int protection, int flags, int fd, __off64_t offset)
{
    use_file(flags, fd, CALLER_PC);
    return map(REAL(mmap64), hint, size, protection, flags, fd, offset);
}

INTERCEPT int munmap(void *address, size_t size)
{
    /* Before the real call: afterwards the addresses may already be somebody else's. */
    mapping_forget(address, size);
    return REAL(munmap)(address, size);
}

/* What a mapping has grown by begins anew. */
void mapping_moved(void *old, size_t old_size, void *moved, size_t new_size)
{
    size_t kept = old_size < new_size ? old_size : new_size;
    if (moved != old) {
        struct thread *t = thread_current();
        mapping_forget(moved, kept);
        world_enter(t);
        shadow_move((uintptr_t)old, (uintptr_t)moved, kept);
        history_moved((uintptr_t)old, (uintptr_t)moved, kept);
        world_leave(t);
        mapping_forget(old, old_size);
    }
    if (new_size > kept)
        mapping_forget((char *)moved + kept, new_size - kept);
    else if (moved == old && old_size > kept)
        mapping_forget((char *)old + kept, old_size - kept);
}

INTERCEPT void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *wanted = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    const int moves = MREMAP_FIXED | MREMAP_MAYMOVE;
    if ((flags & moves) == moves && is_range(wanted, new_size) && !apart(wanted, new_size))
        return refused(wanted);
    void *moved = REAL(mremap)(old, old_size, new_size, flags, wanted);
    if (moved == MAP_FAILED || shadow_base == 0)
        return moved;
    places_claim((uintptr_t)moved, new_size);
    mapping_moved(old, old_size, moved, new_size);
    return moved;
}
