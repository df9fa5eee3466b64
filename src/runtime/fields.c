/* Several fields of one object that the compiler checks by one call (src/place/objects.cpp). Each is an access
 * of its own. */
#include "runtime/access.h"
#include "runtime/loops.h"

#define ENTRY __attribute__((visibility("default")))

/* Neighbouring fields: words, 8 or 16 bytes in all, or parts of words, up to 8 bytes. Return false. */
#define ROW(name, kind)                                                                                      \
    ENTRY bool name(uintptr_t address, const struct fields *fields);                                         \
    ENTRY bool name(uintptr_t address, const struct fields *fields)                                          \
    {                                                                                                        \
        access_row(address, fields, kind);                                                                   \
        return false;                                                                                        \
    }

ROW(__pf_read_row8, PLAIN_READ)
ROW(__pf_read_row16, PLAIN_READ)
ROW(__pf_write_row8, PLAIN_WRITE)
ROW(__pf_write_row16, PLAIN_WRITE)
ROW(__pf_read_bytes, PLAIN_READ)
ROW(__pf_write_bytes, PLAIN_WRITE)

/* 8 bytes at a, and 8 at b. place: instructions of the lines that access them. Return false. */
#define PAIR(name, first, second)                                                                            \
    ENTRY bool name(uintptr_t a, uintptr_t b, const uintptr_t *place);                                       \
    ENTRY bool name(uintptr_t a, uintptr_t b, const uintptr_t *place)                                        \
    {                                                                                                        \
        access_words(a, 8, first, place[0] + 1);                                                             \
        access_words(b, 8, second, place[1] + 1);                                                            \
        return false;                                                                                        \
    }

PAIR(__pf_read_read8, PLAIN_READ, PLAIN_READ)
PAIR(__pf_read_write8, PLAIN_READ, PLAIN_WRITE)
PAIR(__pf_write_read8, PLAIN_WRITE, PLAIN_READ)
PAIR(__pf_write_write8, PLAIN_WRITE, PLAIN_WRITE)
