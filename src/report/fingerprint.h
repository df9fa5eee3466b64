/* The name that a race keeps from run to run, and from build to build of a program that is being worked on.
 *
 * It is made of, for each of the two accesses: the functions from the innermost one to the first that is not
 * of the system's headers and libraries; of that one also the base name of its file and its line counted from
 * the beginning of the function. And of what the memory is: the name of a global variable, the function that
 * allocated a heap block, or only the kind. Which of the two came first does not matter, nor whether it was
 * the read or the write of `n++` that met the other: the schedule decides that. Nor do addresses, processes,
 * threads, folders, or lines added elsewhere in the file.
 *
 * Where neither stack has anything of the program's own (a library that is not instrumented made the
 * accesses), it is also made of where the two threads were created, and of a heap block's size, if its
 * allocation was such a library's: a baseline shall not take a new race for a known one.
 */
#pragma once

#include "report/live.h"

enum { FINGERPRINT_BYTES = 17 }; /* 16 hexadecimal digits and the end */

/* In `text`, which it returns. */
const char *live_race_fingerprint(const struct live_race *race, char text[FINGERPRINT_BYTES]);
