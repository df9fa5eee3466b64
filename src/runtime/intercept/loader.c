/* dlopen. Where it looks for a library depends on who calls it: on the caller's search path, or place
 * ($ORIGIN). Calls where that could matter are passed on with the caller's own return address, and order
 * nothing. */
#include "runtime/intercept/loader.h"

#include <dlfcn.h>
#include <link.h>
#include <linux/futex.h>
#include <time.h>

#include "runtime/intercept/needed.h"
#include "runtime/intercept/pegs.h"
#include "runtime/signals.h"

/* --- the lock --- */

static uint32_t held;         /* futex */
static struct thread *holder; /* written by the holder; who reads its own name there holds it */
static uint32_t depth;        /* the holder's */

/* In the child of a fork the holder may be a thread that is not there any more. */
static bool take(struct thread *t)
{
    struct thread *gone = load_acquire(&holder);
    uint32_t none = 0;
    if (cas_acq_rel(&held, &none, 1) || (gone != NULL && !gone->running && cas_acq_rel(&holder, &gone, t))) {
        store_relaxed(&holder, t);
        depth = 0;
        return true;
    }
    return false;
}

static bool wait_for(struct thread *t)
{
    enum { TIMES = 600 };
    struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
    signals_open(t);
    bool taken = take(t);
    for (unsigned i = 0; !taken && i < TIMES; i++) {
        sys_call6(SYS_futex, (long)&held, FUTEX_WAIT_PRIVATE, 1, (long)&moment, 0, 0);
        taken = take(t);
    }
    signals_close(t);
    return taken;
}

bool loader_lock(struct thread *t)
{
    if (load_relaxed(&holder) != t && !wait_for(t))
        return false;
    depth++;
    return true;
}

void loader_unlock(bool locked)
{
    if (!locked || --depth > 0)
        return;
    store_relaxed(&holder, NULL);
    store_release(&held, 0);
    sys_call3(SYS_futex, (long)&held, FUTEX_WAKE_PRIVATE, 1);
}

/* --- what is ordered --- */

static struct needed needed; /* the lock's holder's */

/* Those whose accesses are checked. Their order hangs on what the dynamic linker knows of them: an address that no other
 * library has until this one is closed, when the memory is freed and the order forgotten. */
static void order_all(struct thread *t, void (*order)(struct thread *, uintptr_t))
{
    for (size_t i = 0; i < needed.count; i++) {
        const struct link_map *l = needed.library[i];
        if (caller_module((uintptr_t)l->l_ld) != NULL)
            order(t, (uintptr_t)l);
    }
}

void loader_closing(struct thread *t, void *handle)
{
    needed_of(&needed, handle, 0);
    order_all(t, kernel_acquire);
    order_all(t, kernel_release);
}

/* Each file of a library calls this: the first call says it all. */
void loader_constructs(struct thread *t, uintptr_t code)
{
    static const struct module *known;
    const struct module *m = caller_module(code);
    if (t == NULL || load_relaxed(&holder) != t || m == NULL || m == known)
        return;
    known = m;
    needed_of(&needed, NULL, code);
    order_all(t, kernel_acquire);
}

/* --- whose call it is --- */

struct search {
    uintptr_t pc;
    bool slash;   /* the library is named by its path: only those that it needs are looked for */
    bool matters; /* the object with this code has a path for that */
};

static bool has_path(const ElfW(Dyn) * d, bool slash)
{
    for (; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_RPATH || (d->d_tag == DT_RUNPATH && !slash))
            return true;
    return false;
}

static int look_for_path(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *s = context;
    const ElfW(Dyn) *dynamic = NULL;
    bool here = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_DYNAMIC)
            dynamic = (const void *)(info->dlpi_addr + segment->p_vaddr);
        here |= segment->p_type == PT_LOAD && s->pc - info->dlpi_addr - segment->p_vaddr < segment->p_memsz;
    }
    if (here)
        s->matters = dynamic != NULL && has_path(dynamic, s->slash);
    return here;
}

static bool caller_matters(const char *file, uintptr_t pc)
{
    struct search his = {.pc = pc}, ours = {.pc = (uintptr_t)caller_matters};
    for (const char *c = file; *c != '\0'; c++) {
        if (*c == '$')
            return true;
        his.slash |= *c == '/';
    }
    ours.slash = his.slash;
    dl_iterate_phdr(look_for_path, &his);
    dl_iterate_phdr(look_for_path, &ours);
    return his.matters || ours.matters;
}

/* --- dlopen --- */

static void *open_in_order(const char *file, int mode)
{
    struct thread *t = caller();
    if (t == NULL)
        return REAL(dlopen)(file, mode);
    bool locked = loader_lock(t);
    const struct link_map *last = needed_last();
    void *library = REAL(dlopen)(file, mode);
    if (locked && library != NULL) {
        needed_since(&needed, last);
        order_all(t, kernel_release);
        needed_of(&needed, library, 0);
        order_all(t, kernel_acquire);
    }
    loader_unlock(locked);
    return library;
}

typedef void *opener(const char *file, int mode);
HIDDEN opener *loader_opener(const char *file, uintptr_t pc);

opener *loader_opener(const char *file, uintptr_t pc)
{
    return file == NULL || caller_matters(file, pc) ? REAL(dlopen) : open_in_order;
}

__asm__(".text\n"
        ".globl dlopen\n"
        ".type dlopen, @function\n"
        "dlopen:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    movq 24(%rsp), %rsi\n"
        "    call loader_opener\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *%rax\n"
        "    .cfi_endproc\n"
        ".size dlopen, . - dlopen\n");
