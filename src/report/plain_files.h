/* Source files of an instrumented module that are not instrumented themselves: compiled by another compiler than pfcc, and linked
 * by it. What their code accesses is not seen.
 *
 * The symbol table has the local symbols of each object after its source file's name. Each instrumented object has a local
 * function that calls __tsan_init. A module without such symbols (strip, -Wl,-x) says nothing of its files. Files that were put
 * together by link-time optimization are one object. Assembly has no name there, and what the toolchain links into every program is left out.
 */
#pragma once

void plain_files(const char *path, void (*found)(void *context, const char *file), void *context);
