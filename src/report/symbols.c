#include "report/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"

/* A stretch of code and the compilation unit it belongs to. (.debug_aranges would tell too; clang leaves it
 * out.) */
struct unit_range {
    uint64_t from, to;
    Dwarf_Die unit;  /* line table */
    Dwarf_Die scope; /* functions: the same, or what was split off into a .dwo */
};

struct answer {
    uint64_t address;
    struct symbol_frame *frame;
    size_t count; /* of frames; 0: nobody has asked for them */
    bool start, start_known;
    struct answer *next;
};

enum { ANSWERS = 256 };

struct module {
    struct module *next;
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *file; /* NULL: cannot be read */
    bool units_read;
    uint64_t debug_bias;
    struct unit_range *range;
    size_t range_count, range_capacity;
    struct answer *answer[ANSWERS];
};

struct symbols {
    struct pool pool;
    struct module *modules;
};

struct symbols *symbols_new(void)
{
    unsetenv("DEBUGINFOD_URLS"); /* a report must not wait for a server */
    struct mem mem = {0};
    return mem_alloc(&mem, sizeof(struct symbols));
}

void symbols_free(struct symbols *s)
{
    struct mem mem = {0};
    for (struct module *m = s->modules; m != NULL; m = m->next) {
        mem_free(&s->pool.mem, m->range, m->range_capacity * sizeof *m->range);
        if (m->dwfl != NULL)
            dwfl_end(m->dwfl);
    }
    pool_free(&s->pool);
    mem_free(&mem, s, sizeof *s);
}

/* --- opening a file --- */

static char *debug_directories; /* libdw's default: next to the file, and /usr/lib/debug */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .debuginfo_path = &debug_directories,
};

static void add_ranges(struct symbols *s, struct module *m, Dwarf_Die *unit, Dwarf_Die *scope)
{
    Dwarf_Addr base, from, to;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &from, &to)) > 0;) {
        m->range =
            mem_reserve(&s->pool.mem, m->range, sizeof *m->range, &m->range_capacity, m->range_count + 1);
        m->range[m->range_count++] = (struct unit_range){from, to, *unit, *scope};
    }
}

/* When somebody first asks for a place: debugging information may be large, and of many modules nobody does.
 */
static void read_units(struct symbols *s, struct module *m)
{
    if (m->units_read || m->file == NULL)
        return;
    m->units_read = true;
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(m->file, &bias);
    if (dwarf == NULL)
        return;
    m->debug_bias = bias;
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit, split;
    uint8_t type;
    while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, &split) == 0)
        if (type == DW_UT_compile || type == DW_UT_skeleton)
            add_ranges(s, m, &unit, type == DW_UT_skeleton && dwarf_tag(&split) > 0 ? &split : &unit);
}

static void open_module(struct module *m)
{
    int fd = regular_file_open(m->path);
    if (fd < 0)
        return;
    m->dwfl = dwfl_begin(&callbacks);
    if (m->dwfl == NULL) {
        close(fd);
        return;
    }
    dwfl_report_begin(m->dwfl);
    m->file = dwfl_report_elf(m->dwfl, m->path, m->path, fd, 0, true); /* takes the descriptor over */
    dwfl_report_end(m->dwfl, NULL, NULL);
    if (m->file == NULL)
        close(fd);
}

struct module *symbols_module(struct symbols *s, const char *path)
{
    for (struct module *m = s->modules; m != NULL; m = m->next)
        if (strcmp(m->path, path) == 0)
            return m;
    struct module *m = pool_take(&s->pool, sizeof *m);
    m->path = pool_text(&s->pool, path, strlen(path));
    m->next = s->modules;
    s->modules = m;
    open_module(m);
    return m;
}

/* The file's next loaded segment from *at on. */
static bool next_segment(struct module *m, size_t *at, GElf_Phdr *segment)
{
    GElf_Addr bias;
    size_t count;
    Elf *elf = m->file != NULL ? dwfl_module_getelf(m->file, &bias) : NULL;
    if (elf == NULL || elf_getphdrnum(elf, &count) != 0)
        return false;
    while (*at < count)
        if (gelf_getphdr(elf, (int)(*at)++, segment) != NULL && segment->p_type == PT_LOAD)
            return true;
    return false;
}

uint64_t symbols_bias(struct module *m, uint64_t start, uint64_t offset, uint64_t base)
{
    const uint64_t page = 4096;
    GElf_Phdr p;
    for (size_t at = 0; next_segment(m, &at, &p);) {
        uint64_t first = p.p_offset & -page;
        if ((p.p_flags & PF_X) && offset >= first && offset < p.p_offset + p.p_filesz)
            return start - ((p.p_vaddr & -page) + (offset - first));
    }
    return base;
}

bool symbols_in_image(struct module *m, uint64_t address)
{
    GElf_Phdr p;
    for (size_t at = 0; next_segment(m, &at, &p);)
        if (address - p.p_vaddr < p.p_memsz)
            return true;
    return false;
}

/* --- names --- */

char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status); /* of the C++ library */

/* Without an ending that link-time optimization has added (_ZL1g.lto_priv.0), if it takes that. */
static char *demangled(struct pool *pool, const char *name)
{
    int status;
    char *plain = __cxa_demangle(name, NULL, NULL, &status);
    size_t length = strcspn(name, ".");
    if (plain == NULL && name[length] != '\0')
        plain = __cxa_demangle(pool_text(pool, name, length), NULL, NULL, &status);
    return plain;
}

const char *symbols_demangle(struct pool *pool, const char *name)
{
    if (name == NULL || name[0] != '_' || name[1] != 'Z')
        return name;
    char *plain = demangled(pool, name);
    if (plain == NULL)
        return name;
    const char *kept = pool_text(pool, plain, strlen(plain));
    free(plain);
    return kept;
}

static const char *string_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static const char *linkage_name(Dwarf_Die *die)
{
    const char *name = string_attribute(die, DW_AT_linkage_name);
    return name != NULL ? name : string_attribute(die, DW_AT_MIPS_linkage_name);
}

static const char *function_name(Dwarf_Die *die)
{
    const char *name = linkage_name(die);
    return name != NULL ? name : string_attribute(die, DW_AT_name);
}

static const char *elf_function(struct module *m, uint64_t address)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(m->file, address, &offset, &symbol, NULL, NULL, NULL);
    if (name == NULL || GELF_ST_TYPE(symbol.st_info) == STT_OBJECT)
        return NULL;
    bool inside = symbol.st_size > 0 ? offset < symbol.st_size : GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
    return inside ? name : NULL;
}

/* The name of a whole function. Debug information of static C++ functions and lambdas may leave the full name
 * out; the symbol has it, perhaps with an ending that says how the function was cloned. */
static const char *whole_function_name(struct symbols *s, struct module *m, uint64_t address, Dwarf_Die *die)
{
    const char *symbol = die == NULL || linkage_name(die) == NULL ? elf_function(m, address) : NULL;
    if (die != NULL && (symbol == NULL || strncmp(symbol, "_Z", 2) != 0))
        return function_name(die);
    return symbol != NULL ? pool_text(&s->pool, symbol, strcspn(symbol, ".")) : NULL;
}

/* File names are relative to where the compiler ran. */
static const char *whole_path(struct symbols *s, Dwarf_Die *unit, const char *file)
{
    if (file == NULL || file[0] == '/')
        return file;
    const char *directory = string_attribute(unit, DW_AT_comp_dir);
    return directory != NULL ? pool_format(&s->pool, "%s/%s", directory, file) : file;
}

/* --- frames --- */

enum { MOST_DEPTH = 64 };

/* The function at an address and what is inlined there, outermost first. */
struct scopes {
    Dwarf_Die die[MOST_DEPTH];
    size_t count;
};

static bool may_hold_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* Collects the scopes below `die` that contain the address. Functions usually stand side by side;
 * `everywhere` also looks inside those that do not contain the address (a lambda's body stands inside the
 * function around it). */
static bool collect(Dwarf_Die *die, Dwarf_Addr address, bool everywhere, struct scopes *scopes, int depth)
{
    Dwarf_Die child;
    if (depth > MOST_DEPTH || dwarf_child(die, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);
        bool is_call = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
        bool inside = (is_call || tag == DW_TAG_lexical_block) && dwarf_haspc(&child, address) == 1;
        size_t before = scopes->count;
        if (inside && is_call && scopes->count < MOST_DEPTH)
            scopes->die[scopes->count++] = child;
        if (inside || may_hold_functions(tag) || (everywhere && is_call) ||
            (everywhere && tag == DW_TAG_lexical_block))
            collect(&child, address, everywhere, scopes, depth + 1);
        if (inside || scopes->count > before)
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static void number_attribute(Dwarf_Die *die, unsigned name, uint32_t *number)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word;
    if (dwarf_formudata(dwarf_attr(die, name, &attribute), &word) == 0)
        *number = (uint32_t)word;
}

/* A function where it was written: not its code, nor a call that was inlined. */
static Dwarf_Die written(const Dwarf_Die *die)
{
    Dwarf_Die at = *die, next;
    Dwarf_Attribute attribute;
    for (int i = 0; i < MOST_DEPTH; i++) {
        Dwarf_Attribute *link = dwarf_attr(&at, DW_AT_abstract_origin, &attribute);
        if (link == NULL)
            link = dwarf_attr(&at, DW_AT_specification, &attribute);
        if (link == NULL || dwarf_formref_die(link, &next) == NULL)
            break;
        at = next;
    }
    return at;
}

/* The outermost function around a function: around a lambda, or a method of a local class. False: there is none. */
static bool surrounding(const Dwarf_Die *die, Dwarf_Die *outer)
{
    Dwarf_Die at = written(die), *scopes;
    int count = dwarf_getscopes_die(&at, &scopes);
    bool found = false;
    for (int i = 1; i < count; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
            *outer = scopes[i];
            found = true;
        }
    if (count > 0)
        free(scopes);
    return found;
}

/* gcc gives inlined lambdas no name but operator(). */
static const char *inlined_name(struct symbols *s, Dwarf_Die *die)
{
    Dwarf_Die outer;
    const char *name = function_name(die);
    if (name == NULL || linkage_name(die) != NULL || !surrounding(die, &outer) ||
        function_name(&outer) == NULL)
        return name;
    return pool_format(&s->pool, "%s::{lambda}::%s", symbols_demangle(&s->pool, function_name(&outer)), name);
}

/* Of a function, or of the one that was inlined. */
static uint32_t first_line(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word line;
    return dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute), &line) == 0
               ? (uint32_t)line
               : 0;
}

/* Lambdas have no name to know them by, only their place in the function around them. (clang does not tell of that
 * where it was inlined everywhere.) */
static void find_beginning(Dwarf_Die *die, struct symbol_frame *frame)
{
    Dwarf_Die outer;
    uint32_t line = surrounding(die, &outer) ? first_line(&outer) : 0;
    frame->nested = line > 0;
    frame->function_line = line > 0 ? line : first_line(die);
}

/* Where an inlined call stands: the place of the frame around it. */
static void call_site(struct symbols *s, struct unit_range *unit, Dwarf_Die *call, struct symbol_frame *frame)
{
    Dwarf_Files *files;
    uint32_t file = UINT32_MAX;
    number_attribute(call, DW_AT_call_file, &file);
    number_attribute(call, DW_AT_call_line, &frame->line);
    number_attribute(call, DW_AT_call_column, &frame->column);
    if (file != UINT32_MAX && dwarf_getsrcfiles(&unit->scope, &files, NULL) == 0)
        frame->file = whole_path(s, &unit->unit, dwarf_filesrc(files, file, NULL, NULL));
}

static struct unit_range *unit_at(struct module *m, uint64_t address)
{
    for (size_t i = 0; i < m->range_count; i++)
        if (address >= m->range[i].from && address < m->range[i].to)
            return &m->range[i];
    return NULL;
}

static void line_at(struct symbols *s, struct unit_range *unit, uint64_t address, struct symbol_frame *frame)
{
    int number;
    Dwarf_Line *line = dwarf_getsrc_die(&unit->unit, address);
    if (line == NULL)
        return;
    frame->file = whole_path(s, &unit->unit, dwarf_linesrc(line, NULL, NULL));
    if (dwarf_lineno(line, &number) == 0)
        frame->line = (uint32_t)number;
    if (dwarf_linecol(line, &number) == 0)
        frame->column = (uint32_t)number;
}

static size_t look_up(struct symbols *s, struct module *m, uint64_t address,
                      struct symbol_frame frames[MOST_DEPTH])
{
    memset(frames, 0, MOST_DEPTH * sizeof *frames);
    if (m->file == NULL)
        return 1;
    read_units(s, m);
    struct scopes scopes = {.count = 0};
    uint64_t in_debug = address - m->debug_bias;
    struct unit_range *unit = unit_at(m, in_debug);
    if (unit != NULL) {
        line_at(s, unit, in_debug, &frames[0]);
        if (!collect(&unit->scope, in_debug, false, &scopes, 0))
            collect(&unit->scope, in_debug, true, &scopes, 0);
    }
    size_t count = scopes.count;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Die *die = &scopes.die[count - 1 - i];
        frames[i].inlined = i + 1 < count;
        find_beginning(die, &frames[i]);
        if (frames[i].inlined) {
            frames[i].function = inlined_name(s, die);
            call_site(s, unit, die, &frames[i + 1]);
        }
    }
    Dwarf_Die *whole = count > 0 ? &scopes.die[0] : NULL;
    count = count > 0 ? count : 1;
    frames[count - 1].function = whole_function_name(s, m, address, whole);
    return count;
}

static struct answer *answer_at(struct symbols *s, struct module *m, uint64_t address)
{
    struct answer **bucket = &m->answer[address * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    struct answer *a = *bucket;
    while (a != NULL && a->address != address)
        a = a->next;
    if (a == NULL) {
        a = pool_take(&s->pool, sizeof *a);
        *a = (struct answer){.address = address, .next = *bucket};
        *bucket = a;
    }
    return a;
}

size_t symbols_frames(struct symbols *s, struct module *m, uint64_t address,
                      const struct symbol_frame **frames)
{
    struct answer *a = answer_at(s, m, address);
    if (a->count == 0) {
        struct symbol_frame found[MOST_DEPTH];
        a->count = look_up(s, m, address, found);
        a->frame = pool_take(&s->pool, a->count * sizeof *found);
        memcpy(a->frame, found, a->count * sizeof *found);
    }
    *frames = a->frame;
    return a->count;
}

/* --- variables --- */

void symbols_each_global(struct module *m, void (*visit)(void *context, const struct symbol_global *global),
                         void *context)
{
    int count = m->file != NULL ? dwfl_module_getsymtab(m->file) : 0;
    for (int i = 0; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr value;
        const char *name = dwfl_module_getsym_info(m->file, i, &symbol, &value, NULL, NULL, NULL);
        if (name != NULL && name[0] != '\0' && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT &&
            symbol.st_shndx != SHN_UNDEF)
            visit(context, &(struct symbol_global){name, value, symbol.st_size});
    }
}

struct search {
    uint64_t address;
    struct symbol_global *found; /* the smallest that has it */
    bool good;
};

static void look_at_global(void *context, const struct symbol_global *global)
{
    struct search *s = context;
    if (s->address - global->address >= global->size || (s->good && global->size >= s->found->size))
        return;
    *s->found = *global;
    s->good = true;
}

bool symbols_global(struct module *m, uint64_t address, struct symbol_global *global)
{
    struct search search = {.address = address, .found = global};
    symbols_each_global(m, look_at_global, &search);
    return search.good;
}

bool symbols_is_start(const char *function)
{
    static const char *const functions[] = {"start_thread", "__libc_start_call_main", "__libc_start_main",
                                            "__libc_start_main_impl", "_start"};
    for (size_t i = 0; function != NULL && i < array_length(functions); i++)
        if (strcmp(function, functions[i]) == 0)
            return true;
    return false;
}

bool symbols_start_at(struct symbols *s, struct module *m, uint64_t address)
{
    struct answer *a = answer_at(s, m, address);
    if (!a->start_known) { /* a search through all symbols */
        a->start = m->file != NULL && symbols_is_start(elf_function(m, address));
        a->start_known = true;
    }
    return a->start;
}
