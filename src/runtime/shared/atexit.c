/* For the runtime as a library of its own; not in the archive for programs.
 *
 * libc has atexit() only to be linked statically. A program that gcc has linked to its own runtime, which
 * exports one, looks for it here; programs that are linked to us do not see it (the version is not the
 * default one), since theirs knows what library it is called from. */
#include "runtime/intercept/real.h"

int __cxa_atexit(void (*function)(void *), void *argument, void *library);

INTERCEPT int pf_atexit(void (*function)(void));
INTERCEPT int pf_atexit(void (*function)(void))
{
    return __cxa_atexit((void (*)(void *))(void *)function, NULL, NULL);
}
__asm__(".symver pf_atexit, atexit@PHOTOFINISH_0");
