/* From addresses to functions, files and lines: elfutils' libdw over the files that a program consists of.
 *
 * Addresses are those of the file (as objdump and addr2line show them): the caller takes the load bias off.
 * Whatever cannot be read (no file, no ELF, no symbols) gives less, never an error. Nothing is looked up over
 * the network.
 */
#pragma once

#include "report/pool.h"

struct symbols; /* all files seen so far, and the answers given */
struct module;  /* one file */

struct symbol_frame {
    const char *function; /* NULL: unknown; as linked, not demangled */
    const char *file;     /* NULL: unknown */
    uint32_t line, column;
    uint32_t function_line; /* where the function begins; 0: unknown */
    bool nested;            /* ... or the one that it was written in: it is a lambda or the like */
    bool inlined;           /* into the next frame */
};

struct symbol_global {
    const char *name;
    uint64_t address, size;
};

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

struct module *symbols_module(struct symbols *symbols, const char *path);

/* Where the file's address 0 lies, from its mapping of executable pages that begins at `start` and shows the
 * file from `offset` on; `base` when the file does not tell. */
uint64_t symbols_bias(struct module *module, uint64_t start, uint64_t offset, uint64_t base);

/* The frames at an address, innermost first: calls that were inlined there, then the function. At least one.
 * The array lives as long as `symbols`. */
size_t symbols_frames(struct symbols *symbols, struct module *module, uint64_t address,
                      const struct symbol_frame **frames);

/* The variable at an address. */
bool symbols_global(struct module *module, uint64_t address, struct symbol_global *global);

/* All variables of the file. */
void symbols_each_global(struct module *module,
                         void (*visit)(void *context, const struct symbol_global *global), void *context);

/* Is the address part of the file's image in memory? */
bool symbols_in_image(struct module *module, uint64_t address);

/* The name as it is written in the source, or the name itself. */
const char *symbols_demangle(struct pool *pool, const char *name);

/* Is this what calls main or a thread's function? NULL is not. */
bool symbols_is_start(const char *function);

/* Is it at this address, as far as the file's symbols tell? They are small; libc's debugging information is
 * not. */
bool symbols_start_at(struct symbols *symbols, struct module *module, uint64_t address);
