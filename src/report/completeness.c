#include "report/completeness.h"

#include <gelf.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "report/live_writers.h"
#include "report/plain_files.h"
#include "report/unseen.h"

/* --- is it instrumented? --- */

/* Every instrumented object needs __tsan_init; one that defines it has a runtime in it. Ours has entry points
 * that TSan's has not. */
struct traits {
    bool asks, defines, ours;
};

static void look_at_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct traits *t)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data != NULL && header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            return;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name == NULL || strncmp(name, "__tsan_", 7) != 0)
            continue;
        bool defined = symbol.st_shndx != SHN_UNDEF;
        if (strcmp(name, "__tsan_init") == 0) {
            t->defines |= defined;
            t->asks |= !defined;
        }
        t->ours |= defined && strcmp(name, "__tsan_read_write1") == 0;
    }
}

enum instrumented module_instrumented(const char *path)
{
    struct traits t = {false, false, false};
    int fd = regular_file_open(path);
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    Elf_Scn *section = NULL;
    while (elf != NULL && (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != NULL &&
            (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
            look_at_symbols(elf, section, &header, &t);
    }
    if (elf != NULL)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
    return t.defines && !t.ours  ? INSTRUMENTED_OTHER_RUNTIME
           : t.defines || t.asks ? INSTRUMENTED
                                 : INSTRUMENTED_NOT;
}

/* --- adding up --- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* What the runtime knows by its functions, and itself. */
static bool is_known(const char *path)
{
    static const char *const known[] = {"ld-linux", "libc.so",  "libm.so",          "libpthread",
                                        "libdl.so", "librt.so", "libphotofinish.so"};
    for (size_t i = 0; i < array_length(known); i++)
        if (strncmp(base_name(path), known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

/* True: it is new. */
static bool remember(struct completeness *c, struct names_seen *list, const char *text, size_t length)
{
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->name[i]) == length && memcmp(list->name[i], text, length) == 0)
            return false;
    list->name = mem_reserve(&c->mem, list->name, sizeof *list->name, &list->capacity, list->count + 1);
    list->name[list->count++] = pool_text(&c->pool, text, length);
    return true;
}

struct in_module {
    struct completeness *c;
    const char *path;
};

static void add_file(void *context, const char *file)
{
    const struct in_module *in = context;
    const char *text = pool_format(&in->c->pool, "%s in %s", file, in->path);
    remember(in->c, &in->c->files, text, strlen(text));
}

static void look_at_module(struct completeness *c, const char *path)
{
    if (is_known(path))
        return;
    enum instrumented how = module_instrumented(path);
    if (how == INSTRUMENTED_NOT)
        remember(c, &c->missed, path, strlen(path));
    else if (how == INSTRUMENTED)
        plain_files(path, add_file, &(struct in_module){c, path});
}

void completeness_add(struct completeness *c, const struct raw_finish *f)
{
    c->processes++;
    c->overwritten_threads += f->overwritten_threads;
    c->overwritten_entries += f->overwritten_entries;
    c->ignored_regions += f->ignored_regions;
    c->benign_ranges += f->benign_ranges;
    for (uint64_t i = 0; i < f->call_count; i++)
        remember(c, &c->calls, f->call[i].text, f->call[i].length);
    for (uint64_t i = 0; i < f->module_count; i++)
        if (remember(c, &c->modules, f->module[i].text, f->module[i].length))
            look_at_module(c, c->modules.name[c->modules.count - 1]);
}

static void remember_all(struct completeness *c, struct names_seen *list, const json_t *names)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name != NULL)
            remember(c, list, name, strlen(name));
    }
}

static uint64_t number_at(const json_t *json, const char *group, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(json_object_get(json, group), key));
}

void completeness_add_json(struct completeness *c, const json_t *json)
{
    c->processes += (uint64_t)json_integer_value(json_object_get(json, "processes"));
    c->unseen += (uint64_t)json_integer_value(json_object_get(json, "unseen_threads"));
    c->refused += (uint64_t)json_integer_value(json_object_get(json, "refused"));
    c->off += (uint64_t)json_integer_value(json_object_get(json, "reports_off"));
    c->overwritten_threads += number_at(json, "history_overwritten", "threads");
    c->overwritten_entries += number_at(json, "history_overwritten", "entries");
    c->ignored_regions += number_at(json, "ignored", "regions");
    c->benign_ranges += number_at(json, "ignored", "ranges");
    remember_all(c, &c->calls, json_object_get(json, "unmodelled_calls"));
    remember_all(c, &c->modules, json_object_get(json, "modules"));
    remember_all(c, &c->missed, json_object_get(json, "uninstrumented_modules"));
    remember_all(c, &c->files, json_object_get(json, "uninstrumented_files"));
}

void completeness_free(struct completeness *c)
{
    struct names_seen *lists[] = {&c->calls, &c->modules, &c->missed, &c->files};
    for (size_t i = 0; i < array_length(lists); i++)
        mem_free(&c->mem, lists[i]->name, lists[i]->capacity * sizeof *lists[i]->name);
    pool_free(&c->pool);
    *c = (struct completeness){.processes = 0};
}

/* --- telling --- */

enum { MOST_NAMES = 50 }; /* a library that is linked statically has hundreds of files; the JSON has all */

static void put_names(FILE *out, const char *what, const struct names_seen *list)
{
    size_t shown = min_size(list->count, MOST_NAMES);
    fprintf(out, "  %s: ", what);
    for (size_t i = 0; i < shown; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", list->name[i]);
    if (list->count > shown)
        fprintf(out, " and %zu more", list->count - shown);
    fputs(list->count > 0 ? "\n" : "none\n", out);
}

void completeness_text(const struct completeness *c, FILE *out)
{
    fputs("Photofinish: what this verdict rests on:\n", out);
    if (c->unseen > 0)
        fprintf(out,
                "  threads whose creation was not seen (races with them may be missing): in %" PRIu64
                " process%s\n",
                c->unseen, c->unseen == 1 ? "" : "es");
    put_names(out, "modules that are not instrumented (what they access is not seen)", &c->missed);
    put_names(out, "files that are not instrumented in modules that are (what they access is not seen)",
              &c->files);
    fprintf(out,
            "  history overwritten: %" PRIu64 " entries of %" PRIu64
            " threads (only stacks in reports need it)\n",
            c->overwritten_entries, c->overwritten_threads);
    put_names(out, "calls that are not modelled", &c->calls);
    fprintf(out,
            "  ignored at the program's request: %" PRIu64 " regions of code, %" PRIu64 " ranges of memory\n",
            c->ignored_regions, c->benign_ranges);
}

const char *completeness_doubt(const struct completeness *c)
{
    return c->refused > 0  ? "a process was refused, and said why"
           : c->unseen > 0 ? "the creation of threads was not seen"
           : c->off > 0    ? "reports were off: report_bugs=0"
                           : NULL;
}

static bool has_file(const struct names_seen *list, const char *beginning)
{
    for (size_t i = 0; i < list->count; i++)
        if (file_begins_with(list->name[i], beginning))
            return true;
    return false;
}

void completeness_warning(const struct completeness *c, FILE *out)
{
    for (size_t i = 0; i < c->missed.count; i++) {
        const struct unseen_library *known = unseen_library(c->missed.name[i]);
        if (known != NULL && (known->teller == NULL || !has_file(&c->missed, known->teller)))
            fprintf(out,
                    "Photofinish: %s is not instrumented, and how %s orders threads is not seen: "
                    "accesses that it orders may be among the reports\n",
                    base_name(c->missed.name[i]), known->name);
    }
}

static json_t *names_json(const struct names_seen *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(array, live_json_text(list->name[i]));
    return array;
}

json_t *completeness_json(const struct completeness *c)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:{s:I, s:I}, s:{s:I, s:I}}", "processes",
                     (json_int_t)c->processes, "unseen_threads", (json_int_t)c->unseen, "refused",
                     (json_int_t)c->refused, "reports_off", (json_int_t)c->off, "modules",
                     names_json(&c->modules), "uninstrumented_modules", names_json(&c->missed),
                     "uninstrumented_files", names_json(&c->files), "unmodelled_calls", names_json(&c->calls),
                     "history_overwritten", "threads", (json_int_t)c->overwritten_threads, "entries",
                     (json_int_t)c->overwritten_entries, "ignored", "regions", (json_int_t)c->ignored_regions,
                     "ranges", (json_int_t)c->benign_ranges);
}
